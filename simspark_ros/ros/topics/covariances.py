"""Covariances of odometry in messages."""

from __future__ import annotations

import math

import numpy as np
from nav_msgs.msg import Odometry

from simspark_ros.motion.drift import Drift

_PLANE = 0, 1, 5
"""Places of x, y and heading among the six values of a pose, or of a twist."""
_IN_PLANE = np.ix_(_PLANE, _PLANE)

_OTHERS, _DEVIATIONS = (2, 3, 4), (0.01, 0.02, 0.02)
"""Places of height, roll and pitch, and their standard deviations, m and rad (of their rates, m/s and rad/s)."""


class Covariances:
    """Writes how far odometry has drifted into a message, which has the twist of this cycle."""

    def __init__(self, message: Odometry) -> None:
        # Views of the message's arrays.
        self._pose, self._twist = (part.covariance.reshape(6, 6) for part in (message.pose, message.twist))
        self._velocity = message.twist.twist
        for covariance in (self._pose, self._twist):
            covariance[_OTHERS, _OTHERS] = np.square(_DEVIATIONS)

    def fill(self, drift: Drift, seconds: float) -> None:
        """Write the covariances of pose and twist; seconds: the time over which the twist is the mean."""
        linear, turn = self._velocity.linear, self._velocity.angular.z
        place, heading = drift.of_velocity(math.hypot(linear.x, linear.y), turn, seconds)
        self._pose[_IN_PLANE] = drift.covariance
        self._twist[_PLANE, _PLANE] = place, place, heading
