"""Place and speed of the ball relative to a player, from looks and from the player's own movement."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Travel
from simspark_ros.players.geometry import Point

ROLLING_FRICTION = 1.06
"""Decay of the speed of a rolling ball, 1/s (model reference, "Ball motion, measured")."""

PLACE_GAIN, SPEED_GAIN = 0.6, 0.2
"""Shares of a look's error by which place and speed are corrected (alpha-beta filter)."""

JUMP = 0.8
"""Distance from the expected place, m, beyond which the ball was put somewhere else; its speed is unknown then."""

LONGEST_STEP = 0.5
"""Longest time between two looks that give the speed, s."""


class BallTrack:
    """An alpha-beta filter in axes that move with the player, so that errors of its localization do not matter.

    `friction` is the decay of the speed of a rolling ball, 1/s.

    Attributes:
        place: place relative to the torso's place on the ground, m; None before the ball was seen.
        speed: velocity over the ground, along the player's axes, m/s.
        seen: time of the last look at it, or for which its place is known without one, s; -inf before.
    """

    def __init__(self, friction: float = ROLLING_FRICTION) -> None:
        self._friction = friction
        self.place: Point | None = None
        self.speed = Point(0.0, 0.0)
        self.seen = -math.inf

    def move(self, travel: Travel, seconds: float) -> None:
        """Let time pass: the ball rolls on, the player moves."""
        if self.place is None:
            return
        rolled = self.place.plus(self.speed.times(seconds))
        self.place = Point(rolled.x - travel.forward, rolled.y - travel.left).turned(-travel.turn)
        self.speed = self.speed.turned(-travel.turn).times(math.exp(-self._friction * seconds))

    def see(self, place: Point, time: float) -> None:
        """Take a measurement (m) into account."""
        since = time - self.seen
        if self.place is None or since > LONGEST_STEP or self.place.to(place).range > JUMP:
            self.place, self.speed = place, Point(0.0, 0.0)
        elif since > 0.0:
            error = self.place.to(place)
            self.place = self.place.plus(error.times(PLACE_GAIN))
            self.speed = self.speed.plus(error.times(SPEED_GAIN / since))
        self.seen = time

    def rest(self) -> None:
        """Believe that the ball rests; looks of a falling player say nothing about its speed."""
        self.speed = Point(0.0, 0.0)

    def expect(self, place: Point, time: float) -> None:
        """Believe without a look that the ball rested at a place relative to the player (m) at that time (s)."""
        self.place, self.speed, self.seen = place, Point(0.0, 0.0), time

    def after(self, seconds: float) -> Point | None:
        """The place that the ball will have rolled to in a while (s), relative to the player now."""
        if self.place is None:
            return None
        return self.place.plus(self.speed.times((1.0 - math.exp(-self._friction * seconds)) / self._friction))
