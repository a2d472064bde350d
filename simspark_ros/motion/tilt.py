"""Tilt of the torso, from gyroscope and accelerometer."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Triple

GRAVITY = 9.81
"""Acceleration of gravity, m/s2."""


STILL = 0.3
"""Turn rate below which a torso is still, rad/s."""

STILL_CORRECTION = 6.0
"""Factor by which the accelerometer corrects a still torso faster, for example after a beam."""


class TiltEstimator:
    """A complementary filter on the direction of gravity in the torso's axes.

    The gyroscope turns the direction; the accelerometer draws it slowly to its reading, and less if the reading's
    amount differs from gravity (R. Mahony, T. Hamel, J.-M. Pflimlin, "Nonlinear Complementary Filters on the Special
    Orthogonal Group", IEEE Transactions on Automatic Control 53(5), 2008, section IV, for a direction alone).
    `correction` is the share of the difference that is taken over each second, 1/s.
    """

    def __init__(self, correction: float) -> None:
        self._correction = correction
        self._up: Triple = (0.0, 0.0, 1.0)

    @property
    def up(self) -> Triple:
        """Unit vector against gravity, in the torso's axes."""
        return self._up

    @property
    def roll(self) -> float:
        """Tilt to the right, rad."""
        return math.atan2(self._up[1], self._up[2])

    @property
    def pitch(self) -> float:
        """Tilt forward, rad."""
        return math.atan2(-self._up[0], math.hypot(self._up[1], self._up[2]))

    def know(self, up: Triple) -> None:
        """Take over the direction that a sensor gives."""
        self._up = up

    def update(self, gyro: Triple, accelerometer: Triple, seconds: float) -> None:
        """Take in the readings (rad/s, m/s2) of a cycle of that length."""
        x, y, z = self._up
        wx, wy, wz = gyro
        # A direction that is fixed in the world turns against the torso.
        x, y, z = (x + seconds * (y * wz - z * wy), y + seconds * (z * wx - x * wz), z + seconds * (x * wy - y * wx))
        ax, ay, az = accelerometer
        amount = math.sqrt(ax * ax + ay * ay + az * az)
        trust = max(0.0, 1.0 - abs(amount - GRAVITY) / GRAVITY)
        if trust > 0.0:
            still = wx * wx + wy * wy + wz * wz < STILL * STILL
            share = min(1.0, self._correction * (STILL_CORRECTION if still else 1.0) * seconds * trust)
            x, y, z = (x + share * (ax / amount - x), y + share * (ay / amount - y), z + share * (az / amount - z))
        length = math.sqrt(x * x + y * y + z * z)
        # Opposite directions may cancel out; then the old one stays.
        if length > 1e-6:
            self._up = (x / length, y / length, z / length)
