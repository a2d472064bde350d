"""The mounts of one robot, kept while the robot stays where it is in the arrays of percepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from simspark_ros.exchange import Slot
from simspark_ros.perceptors.base import Mount, Perceptor
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.robot import Robot

Place = tuple[int, int, int]
"""Place of a mount: index of its first value, of the value after its last, and of its presence flag."""


class Station(NamedTuple):
    """The mounts of one robot, by kind.

    Attributes:
        row: row of the robot in the arrays of the engine's state.
        begin, end: index of its first value and presence flag, and of those of the robot behind it.
        mounts, places: its mounts and their places, by kind.
        slots: its part of the layout, in the order of a classic message.
    """

    robot: Robot
    row: int
    specs: tuple[PerceptorSpec, ...]
    begin: tuple[int, int]
    end: tuple[int, int]
    mounts: dict[str, list[Mount]]
    places: dict[str, list[Place]]
    slots: tuple[Slot, ...]

    def stands(self, robot: Robot, row: int, specs: tuple[PerceptorSpec, ...], begin: tuple[int, int]) -> bool:
        """Whether nothing of it has changed."""
        return self.robot is robot and self.row == row and self.begin == begin and self.specs == specs


def station_of(
    kinds: Mapping[str, Perceptor], robot: Robot, row: int, specs: tuple[PerceptorSpec, ...], begin: tuple[int, int]
) -> Station:
    """The mounts of a robot that carries these perceptors; `begin` as in `Station`."""
    mounts: dict[str, list[Mount]] = {}
    places: dict[str, list[Place]] = {}
    slots = []
    start, flag = begin
    for spec in specs:
        columns = kinds[spec.kind].columns_of(spec)
        end = start + len(columns)
        mounts.setdefault(spec.kind, []).append(Mount(robot, row, spec, start, flag))
        places.setdefault(spec.kind, []).append((start, end, flag))
        slots.append(Slot(spec.kind, spec.name, columns, start))
        start, flag = end, flag + 1
    return Station(robot, row, specs, begin, (start, flag), mounts, places, tuple(slots))
