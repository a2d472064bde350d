"""Falling, lying and getting up."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simspark_ros.motion.interface import Triple
from simspark_ros.motion.keyframes import Keyframe, Playback
from simspark_ros.motion.settings import FallSettings

ON_A_SIDE = 0.5
"""Share of gravity along the torso's forward axis below which the robot lies on a side rather than chest or back."""

STEADY = 1.0
"""Time upright after which the robot has got up for good, s."""


class Recovery:
    """Notices a fall, waits until the robot lies, chooses a sequence and plays it until the robot stands.

    Attributes:
        tries: sequences played since the robot last stood for good.
    """

    def __init__(self, settings: FallSettings, joints: Sequence[str], leg_length: float) -> None:
        self._settings = settings
        self._joints = joints
        self._front = settings.front_long_legs if leg_length >= settings.long_legs else settings.front
        self._upright = math.cos(math.radians(settings.falling_deg))
        self.tries = 0
        self._waited = 0.0
        self._upright_for = 0.0
        self._playback: Playback | None = None

    @property
    def playing(self) -> bool:
        """Whether a sequence is being played."""
        return self._playback is not None

    def update(self, angles: Sequence[float], up: Triple, gyro: Triple, seconds: float) -> list[float] | None:
        """Advance by a cycle of that length; `up` is the unit vector against gravity in the torso's axes.

        Returns:
            Targets of all joints, rad, or None if the robot is upright.
        """
        if self._playback is not None:
            targets = self._playback.targets(seconds)
            if self._playback.done:
                self._playback = None
            return targets
        if up[2] > self._upright:
            self._waited = 0.0
            self._upright_for += seconds
            if self._upright_for >= STEADY:
                self.tries = 0
            return None
        self._upright_for = 0.0
        self._waited += seconds
        turning = math.sqrt(sum(rate * rate for rate in gyro)) > self._settings.lying_rate
        if turning and self._waited < self._settings.patience:
            return list(angles)
        self._waited = 0.0
        paces = self._settings.paces
        self._playback = Playback(self._sequence(up), self._joints, angles, paces[self.tries % len(paces)])
        self.tries += 1
        return self._playback.targets(seconds)

    def _sequence(self, up: Triple) -> tuple[Keyframe, ...]:
        on_chest = up[0] < 0.0
        if abs(up[0]) < ON_A_SIDE and self.tries % 2 == 1:
            # The robot lies on a side, and the first try did not help.
            on_chest = not on_chest
        return self._front if on_chest else self._settings.back
