"""Places of the feet, and lean of the torso."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Footing:
    """Place of a foot relative to the torso's place on the ground: m, rad."""

    x: float
    y: float
    yaw: float
    lift: float = 0.0
    toes_up: float = 0.0

    def slide(self, forward: float, left: float, turn: float) -> None:
        """Keep the foot in place while the torso moves."""
        c, s = math.cos(turn), math.sin(turn)
        # The way is in the axes before the turn.
        x, y = self.x - forward, self.y - left
        self.x, self.y, self.yaw = c * x + s * y, c * y - s * x, self.yaw - turn


class Posture(NamedTuple):
    """Posture of the torso: m, rad.

    Attributes:
        sway: shift to the left.
        rise: height above the height for walking.
        lean: lean forward.
        ahead: shift forward from its place above standing feet.
        arm_swing: turn of the left shoulder down and of the right one up.
    """

    sway: float = 0.0
    rise: float = 0.0
    lean: float = 0.0
    ahead: float = 0.0
    arm_swing: float = 0.0


class TiltError(NamedTuple):
    """Difference of the torso's tilt from the wanted one: rad and rad/s, positive to the right and forward."""

    roll: float = 0.0
    pitch: float = 0.0
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
