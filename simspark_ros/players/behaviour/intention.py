"""The decision of a behaviour in one cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from simspark_ros.motion.interface import Command, LookAt
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.speech import NEVER
from simspark_ros.players.world_model import WorldModel


@dataclass(frozen=True)
class Intention:
    """The wishes of a player in one cycle: for its legs, its head, and a beam (frame of the team).

    `effort` is the time to the ball that team mates are told, s; `hold` is whether the ball handling is on.
    """

    command: Command
    look: LookAt
    beam: Pose | None = None
    effort: float = NEVER
    hold: bool = False


class BallPlay(Protocol):
    """Plays the ball for a player.

    Attributes:
        holds: whether it has ball handling.
    """

    holds: bool

    def play(self, world: WorldModel, target: Point, *, kick: bool = True) -> Command:
        """Play the ball toward a target on the field; without `kick` dribble it."""

    def is_duel(self, world: WorldModel) -> bool:
        """Whether an opponent is so near to the ball that there is no time to line up for a kick."""


class Behaviour(Protocol):
    """Decides for a player."""

    def decide(self, world: WorldModel) -> Intention:
        """Decide what to do now, by the player's beliefs."""
