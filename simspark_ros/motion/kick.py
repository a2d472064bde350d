"""A kick forward: shift the weight, swing back, swing through the ball, come back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simspark_ros.configuration.schema import Checked, Positive
from simspark_ros.motion.footing import Footing
from simspark_ros.motion.interface import Foot


@dataclass(frozen=True)
class KickPhase(Checked):
    """A part of a kick: place of the kicking foot at its end, relative to its place at the start, m and degrees.

    Attributes:
        sway: shift of the torso toward the other foot, m.
        swing: whether this phase hits the ball: the foot moves at a constant speed, slower for a weaker kick.
    """

    seconds: Positive
    sway: float = 0.0
    forward: float = 0.0
    outward: float = 0.0
    lift: float = 0.0
    toes_up_deg: float = 0.0
    swing: bool = False


@dataclass(frozen=True)
class KickSettings:
    """The kick.

    Attributes:
        ball_forward, ball_outward: place of the ball's centre: ahead of the torso's centre, and farther out than the
            kicking foot, m.
        weakest: share of the full swing's speed that a kick of strength 0 has.
        phases: phases in their order; the last one has to bring everything back to 0.
    """

    ball_forward: float
    ball_outward: float
    weakest: float
    phases: tuple[KickPhase, ...]


class KickMotion:
    """One kick of a strength of 0 to 1; `half` is the distance of a standing foot from the middle, m."""

    def __init__(self, settings: KickSettings, foot: Foot, strength: float, half: float) -> None:
        self._phases = settings.phases
        self._speed = settings.weakest + (1.0 - settings.weakest) * min(1.0, max(0.0, strength))
        self._side = 1.0 if foot is Foot.LEFT else -1.0
        self._half = half
        self._number = 0
        self._passed = 0.0

    @property
    def done(self) -> bool:
        """Whether the robot stands again."""
        return self._number >= len(self._phases)

    def update(self, seconds: float) -> tuple[Footing, Footing, float]:
        """Advance by a cycle of that length, s; returns the left foot, the right one and the sway to the left, m."""
        self._passed += seconds
        while not self.done and self._passed >= self._duration(self._phases[self._number]):
            self._passed -= self._duration(self._phases[self._number])
            self._number += 1
        before = _numbers(self._phases[self._number - 1]) if self._number else (0.0,) * 5
        if self.done:
            return self._posture(before)
        phase = self._phases[self._number]
        share = self._passed / self._duration(phase)
        # All but the swing begin and end at rest.
        if not phase.swing:
            share = (1.0 - math.cos(math.pi * share)) / 2.0
        return self._posture([a + share * (b - a) for a, b in zip(before, _numbers(phase), strict=True)])

    def _duration(self, phase: KickPhase) -> float:
        return phase.seconds / self._speed if phase.swing else phase.seconds

    def _posture(self, numbers: Sequence[float]) -> tuple[Footing, Footing, float]:
        sway, forward, outward, lift, toes_up = numbers
        kicking = Footing(forward, self._side * (self._half + outward), 0.0, lift, toes_up)
        standing = Footing(0.0, -self._side * self._half, 0.0)
        left, right = (kicking, standing) if self._side > 0.0 else (standing, kicking)
        return left, right, -self._side * sway


def _numbers(phase: KickPhase) -> tuple[float, float, float, float, float]:
    return phase.sway, phase.forward, phase.outward, phase.lift, math.radians(phase.toes_up_deg)
