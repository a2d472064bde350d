"""The uncertainty of a robot's odometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, product

_LEAST = 1e-6
"""Variance at the start, m2 and rad2: filters take no zeros."""

_JITTER = 0.01
"""Standard deviation of velocities of a robot that stands, m/s and rad/s."""


@dataclass(frozen=True)
class DriftRate:
    """Growth of the errors of odometry: with the root of the way, as the sum of many small errors grows.

    Attributes:
        place: standard deviation of the place after a way of 1 m, m.
        heading: standard deviation of the heading after a way of 1 m, rad.
        turn: standard deviation of the heading after a turn of 1 rad, rad.
    """

    place: float
    heading: float
    turn: float


LEGS = DriftRate(0.1, 0.015, 0.01)
"""Rate of feet, which slip: from the walks of docs/reference/ros_interface.md."""

WHEELS = DriftRate(0.02, 0.005, 0.02)
"""Rate of wheels, from the squares of docs/appendix/robots.md."""


class Drift:
    """The uncertainty of a pose that is the sum of small movements.

    Attributes:
        rate: growth of the errors.
        covariance: covariance (3, 3) of x, y, m, and heading, rad, in the frame in which the way began.
    """

    def __init__(self, rate: DriftRate) -> None:
        self.rate = rate
        self.covariance: Array = np.diag([_LEAST] * 3)

    def move(self, x: float, y: float, turn: float) -> None:
        """Add a movement in the axes of the start, m, and a turn, rad."""
        way, rate = math.hypot(x, y), self.rate
        # An error of the heading moves all that follows aside.
        lever = np.array([[1.0, 0.0, -y], [0.0, 1.0, x], [0.0, 0.0, 1.0]])
        place, heading = rate.place**2 * way, rate.heading**2 * way + rate.turn**2 * abs(turn)
        self.covariance = product(product(lever, self.covariance), lever.T) + np.diag([place, place, heading])

    def of_velocity(self, speed: float, turn: float, seconds: float) -> tuple[float, float]:
        """Variances of a velocity and of a turn rate, means over a time, s, that add up to the same drift.

        speed: amount of the velocity, m/s; turn: turn rate, rad/s.
        """
        rate = self.rate
        heading = rate.heading**2 * speed + rate.turn**2 * abs(turn)
        return _JITTER**2 + rate.place**2 * speed / seconds, _JITTER**2 + heading / seconds
