"""Where the feet are, and how the torso leans."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Footing:
    """Where a foot is relative to the torso's place on the ground: m, rad."""

    x: float
    y: float
    yaw: float
    lift: float = 0.0
    toes_up: float = 0.0

    def slide(self, forward: float, left: float, turn: float) -> None:
        """Stay in place while the torso moves."""
        c, s = math.cos(turn), math.sin(turn)
        x, y = self.x - forward, self.y - left
        self.x, self.y, self.yaw = c * x + s * y, c * y - s * x, self.yaw - turn


@dataclass(frozen=True)
class Posture:
    """How the torso is carried: m, rad.

    Attributes:
        sway: to the left.
        rise: above the height for walking.
        lean: forward.
        ahead: of where it is above standing feet.
        arm_swing: turn of the left shoulder down and of the right one up.
    """

    sway: float = 0.0
    rise: float = 0.0
    lean: float = 0.0
    ahead: float = 0.0
    arm_swing: float = 0.0


@dataclass(frozen=True)
class TiltError:
    """How far the torso is from the tilt that it should have: rad and rad/s, positive to the right and forward."""

    roll: float = 0.0
    pitch: float = 0.0
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
