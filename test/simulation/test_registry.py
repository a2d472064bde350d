from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.simulation import registry


class Compass(Perceptor):
    """A plug-in of another distribution."""


def offer(monkeypatch, **points):
    """Let the environment have these entry points for perceptors."""
    found = [EntryPoint(name, value, "simspark_ros.perceptors") for name, value in points.items()]

    def entry_points(group):
        return [point for point in found if point.group == group]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_a_third_partys_perceptor_is_found_by_its_entry_point(monkeypatch):
    offer(monkeypatch, compass=f"{__name__}:Compass")
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(Compass=Compass))
    assert registry.perceptor_types()["compass"] is Compass


def test_built_in_plug_ins_cannot_be_replaced_by_accident(monkeypatch):
    offer(monkeypatch, gyroscope="collections:OrderedDict")
    with pytest.raises(ConfigurationError, match="not a subclass of Perceptor"):
        registry.perceptor_types()


def test_a_plug_in_that_cannot_be_loaded_is_named(monkeypatch):
    offer(monkeypatch, compass="no_such_package:Compass")
    with pytest.raises(ConfigurationError, match=r"plug-in 'compass' of no_such_package:Compass cannot be loaded"):
        registry.perceptor_types()


def test_all_kinds_of_the_built_in_robot_are_known():
    from simspark_ros.robots.catalogue import load_robot

    kinds = {spec.kind for spec in load_robot("nao", 4).perceptors}
    assert kinds <= set(registry.perceptor_types())
