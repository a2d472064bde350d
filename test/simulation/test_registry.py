"""Plug-ins with names that they cannot have; whatever else may be wrong with them: test/test_third_party_plugins.py."""

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from simspark_ros.configuration import entry_points
from simspark_ros.effectors import effector
from simspark_ros.simulation import registry
from simspark_ros.soccer.referee import rules
from simspark_ros.soccer.referee.rule import Rule


@effector("jump")
def jump(world, robot):
    """A plug-in of another distribution."""


class NoJumping(Rule):
    """A plug-in of another distribution."""

    name = "no_jumping"


def offer(monkeypatch, group="perceptors", **points):
    """Let the environment have these entry points of a group; their values may be in this module."""
    found = [EntryPoint(name, value, f"simspark_ros.{group}") for name, value in points.items()]

    def announced(group):
        return [point for point in found if point.group == group]

    monkeypatch.setattr(entry_points, "entry_points", announced)
    monkeypatch.setattr(entry_points, "_reported", {})
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(jump=jump, NoJumping=NoJumping))


@pytest.mark.parametrize(
    ("group", "name", "value", "look_up", "trouble"),
    [
        ("perceptors", "touch", "jump", registry.perceptor_types, "has the name of the built-in 'touch'"),
        ("effectors", "beam", "jump", registry.known_effectors, "has the name of the built-in 'beam'"),
        ("effectors", "hop", "jump", registry.known_effectors, "has the kind 'jump', which must be the name of its"),
        ("rules", "goal", "NoJumping", rules.rule_types, "has the name of the built-in 'goal'"),
        ("rules", "grounded", "NoJumping", rules.rule_types, "has the name 'no_jumping', which must be the name of"),
    ],
)
def test_one_with_a_name_it_cannot_have_is_named_and_left_out(
    monkeypatch, caplog, group, name, value, look_up, trouble
):
    offer(monkeypatch, group)
    alone = look_up().keys()
    offer(monkeypatch, group, **{name: f"{__name__}:{value}"})
    assert look_up().keys() == look_up().keys() == alone
    (warning,) = [record.getMessage() for record in caplog.records]
    assert f"plug-in '{name}' ({__name__}:{value} of an unknown distribution" in warning and trouble in warning
