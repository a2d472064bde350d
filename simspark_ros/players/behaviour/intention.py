"""The decision of a behaviour in one cycle: where legs, head and beam are to go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from simspark_ros.motion.interface import Command, LookAt
from simspark_ros.physics.geometry.scalars import limited
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


LOST_BALL = 0.6
"""Time without the ball after which the head searches for it, s."""

SEARCH_PAN, SEARCH_PERIOD = 2.0, 2.4
"""Largest turn (rad) and period (s) of the searching head; the view reaches 1 rad further on either side."""

GLANCE, GLANCE_PERIOD = 0.55, 1.6
"""Largest turn of the head away from the ball to see marks (rad), and its period (s); the ball stays in view."""

LEVEL, DOWN = -0.2, -0.65
"""Tilts for distant things and for a ball at the feet, rad."""

NEAR_BALL = 0.7
"""Distance of the ball within which the head tilts down, m."""


def gaze(world: WorldModel) -> LookAt:
    """The direction in which the player is to look."""
    ball = world.ball.place
    if ball is None or world.ball_age > LOST_BALL:
        phase = math.tau * world.time / SEARCH_PERIOD
        return LookAt(SEARCH_PAN * math.sin(phase), LEVEL + 0.15 * math.cos(phase))
    nearness = max(0.0, 1.0 - ball.range / NEAR_BALL)
    glance = GLANCE * (1.0 - nearness) * math.sin(math.tau * world.time / GLANCE_PERIOD)
    return LookAt(limited(ball.bearing + glance, SEARCH_PAN), LEVEL + (DOWN - LEVEL) * nearness)
