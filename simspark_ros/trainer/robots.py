"""The trainer's commands for one robot: position, heading, battery, temperature (protocol reference, section 6)."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import CommandRejectedError, Robot, World

BATTERY = (0.0, 100.0)
"""Percent that a battery can have."""

TEMPERATURE = (-273.15, 1000.0)
"""Degrees Celsius that a robot can have."""


class AgentPositionEffector(Effector):
    """`agent_position`: words (side), numbers (unum, x, y, z; m, world frame): orientation and joints are kept."""

    kind: ClassVar[str] = "agent_position"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Move the robot's torso there, at rest, as near as the clearance to other robots allows."""
        arguments(self.kind, numbers, "unum x y z")
        world.move(player(world, self.kind, words, numbers), *numbers[1:4])


class AgentMoveEffector(Effector):
    """`agent_move`: words (side), numbers (unum, x, y, z, heading; m, rad, world frame, heading 0 = +x)."""

    kind: ClassVar[str] = "agent_move"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Put the robot there upright, at rest, joints kept."""
        arguments(self.kind, numbers, "unum x y z heading")
        world.place(player(world, self.kind, words, numbers), *numbers[1:5])


class AgentBatteryEffector(Effector):
    """`agent_battery`: words (side), numbers (unum, percent)."""

    kind: ClassVar[str] = "agent_battery"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Store the charge."""
        arguments(self.kind, numbers, "unum charge")
        robot = player(world, self.kind, words, numbers)
        robot.battery = _within(self.kind, numbers[1], *BATTERY)


class AgentTemperatureEffector(Effector):
    """`agent_temperature`: words (side), numbers (unum, degrees Celsius)."""

    kind: ClassVar[str] = "agent_temperature"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Store the temperature."""
        arguments(self.kind, numbers, "unum temperature")
        robot = player(world, self.kind, words, numbers)
        robot.temperature = _within(self.kind, numbers[1], *TEMPERATURE)


def player(world: World, kind: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> Robot:
    """The robot with the side (`left`, `right` or empty) and the number that a command begins with.

    Raises:
        CommandRejectedError: there is no such robot.
    """
    arguments(kind, (*words[:1], *numbers[:1]), "side unum")
    side = side_of(kind, words[0])
    robot = world.player(side, int(numbers[0]))
    if robot is None:
        where = f"the {side.value} team has" if side else "robots without a team have"
        raise CommandRejectedError(f"{kind}: {where} no number {int(numbers[0])}")
    return robot


def _within(kind: str, value: float, lowest: float, highest: float) -> float:
    if not lowest <= value <= highest:
        raise CommandRejectedError(f"{kind}: must be {lowest:g} to {highest:g}, not {value:g}")
    return value


def side_of(kind: str, word: str) -> Side | None:
    """The side that a word names; empty = none.

    Raises:
        CommandRejectedError: there is no such side.
    """
    try:
        return Side(word) if word else None
    except ValueError:
        raise CommandRejectedError(f"{kind}: '{word}' is no side; use left, right or nothing") from None
