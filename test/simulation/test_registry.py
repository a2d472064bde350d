from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from simspark_ros.configuration import entry_points
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.simulation import registry


class Compass(Perceptor):
    """A plug-in of another distribution."""


def offer(monkeypatch, **points):
    """Let the environment have these entry points for perceptors."""
    found = [EntryPoint(name, value, "simspark_ros.perceptors") for name, value in points.items()]

    def announced(group):
        return [point for point in found if point.group == group]

    monkeypatch.setattr(entry_points, "entry_points", announced)
    monkeypatch.setattr(entry_points, "_reported", set())


def test_a_third_partys_perceptor_is_found_by_its_entry_point(monkeypatch):
    offer(monkeypatch, compass=f"{__name__}:Compass")
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(Compass=Compass))
    assert registry.perceptor_types()["compass"] is Compass


@pytest.mark.parametrize(
    ("value", "trouble"),
    [
        ("collections:OrderedDict", "is not a subclass of Perceptor"),
        ("no_such_package:Compass", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
def test_a_broken_plug_in_is_named_once_and_left_out(monkeypatch, caplog, value, trouble):
    offer(monkeypatch, compass=value, gyroscope=f"{__name__}:Compass")
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(Compass=Compass))
    for _ in range(2):
        # A plug-in cannot replace a built-in one by accident either.
        assert registry.perceptor_types() == registry.PERCEPTORS
    assert [trouble in record.getMessage() for record in caplog.records] == [True]
    reason = entry_points.why_missing("simspark_ros.perceptors", "compass", Perceptor)
    assert "plug-in 'compass'" in reason and trouble in reason
    assert not entry_points.why_missing("simspark_ros.perceptors", "sextant", Perceptor)
