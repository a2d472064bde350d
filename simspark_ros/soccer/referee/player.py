"""A player in the view of rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot

GOALIE = 1
"""Uniform number of goalkeepers."""


@dataclass(frozen=True, eq=False)
class Player:
    """One player in one cycle; `row` is the robot's row in the engine's state, valid in this cycle."""

    robot: SoccerRobot
    row: int
    side: Side
    unum: int

    @cached_property
    def handle(self) -> int:
        """Handle of the robot, never reused."""
        return self.robot.handle

    @cached_property
    def is_goalie(self) -> bool:
        """Whether the player is the team's goalkeeper."""
        return self.unum == GOALIE

    def __str__(self) -> str:
        """Name of the player in decisions."""
        return f"{self.side.value} {self.unum}"
