"""The robots of the package are checked once by each kind of check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.checked_robots import CheckedRobots
from simspark_ros.simulation.settings import SimulationSettings


def test_a_robot_is_checked_again_by_another_check_or_as_another_description() -> None:
    checked, seen = CheckedRobots(), list[RobotDescription]()
    nao = load_robot("nao")
    for by in ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 1}):
        checked.check(nao, seen.append, by)
    assert len(seen) == 3
    checked.check(replace(nao, spawn_height=1.0), seen.append, {"a": 1})
    assert len(seen) == 4


def test_a_robot_that_was_refused_is_refused_again() -> None:
    def refuse(robot: RobotDescription) -> None:
        raise ValueError(robot.name)

    checked = CheckedRobots()
    for _ in range(2):
        with pytest.raises(ValueError, match="nao"):
            checked.check(load_robot("nao"), refuse, None)


def test_the_next_simulation_of_a_process_checks_no_robot_of_the_package_again(monkeypatch: pytest.MonkeyPatch) -> None:
    Assembly(SimulationSettings())
    seen: list[RobotDescription] = []
    monkeypatch.setattr(Assembly, "_check_robot", lambda self, sensing, description: seen.append(description))
    Assembly(SimulationSettings())
    assert seen == []


def test_only_a_robot_from_elsewhere_is_checked_when_it_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[RobotDescription] = []
    simulation, _ = Assembly(SimulationSettings()).build([], lambda: 0.0, lambda seconds: None)
    monkeypatch.setattr(simulation.sensing, "check", seen.append)
    nao = load_robot("nao")
    other = replace(nao, spawn_height=1.0)
    for place, robot in enumerate((nao, other)):
        simulation.world.add_robot(robot, (float(place), 0.0, 0.4), 0.0)
    assert seen == [other]
