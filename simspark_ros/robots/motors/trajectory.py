"""Trajectories of joints: points in time, and positions and rates between points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.transforms import product


@dataclass(frozen=True)
class JointTrajectory:
    """P points of K joints, in rad or m and seconds.

    Between two points a joint follows the polynomial that meets both: of degree 1 if the points have positions alone, 3
    with velocities, 5 with accelerations too, as ros2_control's joint_trajectory_controller does (its documentation,
    "Trajectory Representation"). Towards the first point it starts from its present position, at rest.

    Attributes:
        joints: (K,) indices in the robot's model.
        times: (P,) seconds since the start of the trajectory, ascending, the first at least 0.
        positions: (P, K) positions at the points.
        velocities: (P, K) velocities at the points, or None.
        accelerations: (P, K) accelerations at the points, or None; only beside velocities.
    """

    joints: IntArray
    times: Array
    positions: Array
    velocities: Array | None = None
    accelerations: Array | None = None

    @property
    def duration(self) -> float:
        """Time of the last point, s."""
        return float(self.times[-1])

    def starting_at(self, positions: Array) -> JointTrajectory:
        """The same trajectory with a first point at time 0: present positions (K,) of its joints, at rest."""
        if self.times[0] == 0.0:
            return self
        rest = np.zeros((1, len(self.joints)))
        return JointTrajectory(
            self.joints,
            np.concatenate(([0.0], self.times)),
            np.concatenate((positions[None], self.positions)),
            None if self.velocities is None else np.concatenate((rest, self.velocities)),
            None if self.accelerations is None else np.concatenate((rest, self.accelerations)),
        )

    def sample(self, time: float) -> tuple[Array, Array]:
        """Positions (K,) and rates (K,) at a time since the start; at rest after the end.

        The trajectory needs a point at time 0 (`starting_at`).
        """
        if time >= self.duration:
            return self.positions[-1], np.zeros(len(self.joints))
        last = max(1, int(np.searchsorted(self.times, time, side="right")))
        span = float(self.times[last] - self.times[last - 1])
        part = max(0.0, time - float(self.times[last - 1])) / span
        coefficients = self._polynomial(last - 1, last, span)
        powers = np.cumprod([1.0, *[part] * (len(coefficients) - 1)])
        slopes = np.arange(1, len(coefficients)) * powers[:-1]
        return product(powers, coefficients), product(slopes, coefficients[1:]) / span

    def _polynomial(self, first: int, last: int, span: float) -> Array:
        """Coefficients (degree + 1, K) between two points, lowest degree first, of powers of the share of the span."""
        start, way = self.positions[first], self.positions[last] - self.positions[first]
        if self.velocities is None:
            return np.stack((start, way))
        # In time that runs from 0 to 1: rates times the span, halves of accelerations (as Taylor) times its square.
        v, w = self.velocities[first] * span, self.velocities[last] * span
        if self.accelerations is None:
            return np.stack((start, v, 3.0 * way - 2.0 * v - w, v + w - 2.0 * way))
        a, b = self.accelerations[first] * span**2 / 2.0, self.accelerations[last] * span**2 / 2.0
        third = 10.0 * way - 6.0 * v - 4.0 * w - 3.0 * a + b
        fourth = -15.0 * way + 8.0 * v + 7.0 * w + 3.0 * a - 2.0 * b
        fifth = 6.0 * way - 3.0 * v - 3.0 * w - a + b
        return np.stack((start, v, a, third, fourth, fifth))
