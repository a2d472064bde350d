"""A camera beside the field that follows play, as on television: it turns no corner and makes no jerk."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.physics.engine import Array

_ELEVATION = math.radians(30.0)
AWAY = np.array((0.0, -math.cos(_ELEVATION), math.sin(_ELEVATION)))
"""Direction from the camera's target to the camera, of length one: from the touchline, x to the right."""

FIELD_OF_VIEW = math.radians(40.0)
"""Angle of view across the height of a picture, rad."""

HEIGHT = 0.25
"""Height of the camera's target above the ground, m: players are in the middle of the picture."""

_STIFFNESS = 3.0
"""Stiffness of the spring between the play and the camera's target, rad/s; it is critically damped."""

_LEAD = 0.35
"""Time by which the camera looks ahead of the followed body's motion, s."""

_FASTEST = 5.0
"""Speed above which the lead grows no more, m/s."""


def whole_view(length: float) -> tuple[Array, Array]:
    """Places (3,), m, of a camera that sees the whole of a field of that length, m, and of its target."""
    return length * np.array((0.0, -0.98, 0.62)), np.array((0.0, -0.05 * length, 0.0))


class TvCamera:
    """The camera's target, which follows the ball or a player."""

    def __init__(self) -> None:
        self._focus: Array | None = None
        self._speed: Array = np.zeros(3)
        self._followed: Array = np.zeros(3)

    def follow(self, followed: Array, seconds: float) -> Array:
        """The camera's target (3,), m, for the place of the followed body (3,), m, `seconds` after the last call."""
        target: Array = np.array((followed[0], followed[1], HEIGHT))
        if self._focus is None:
            self._focus = self._followed = target
            return target
        if seconds > 0.0:
            moved = (target - self._followed) / seconds
            fast = float(np.linalg.norm(moved))
            self._followed = target
            target = target + _LEAD * moved * min(1.0, _FASTEST / max(fast, _FASTEST))
            self._swing(target, seconds)
        return self._focus

    def _swing(self, target: Array, seconds: float) -> None:
        """The exact motion of the spring while its end rests at the target."""
        assert self._focus is not None
        off = self._focus - target
        pull = self._speed + _STIFFNESS * off
        left = math.exp(-_STIFFNESS * seconds)
        self._focus = target + (off + pull * seconds) * left
        self._speed = (self._speed - _STIFFNESS * pull * seconds) * left
