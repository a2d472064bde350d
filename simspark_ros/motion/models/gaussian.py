"""The probability p(x'|x, u) of a robot's next pose: a displacement with Gaussian errors that grow with the motion."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from simspark_ros.motion.models.displacements import displaced, displacements
from simspark_ros.physics.geometry.transforms import Array, product

FLOOR = 1e-12
"""Smallest variance, m2 and rad2, for robots that stand and do not move at all."""

RARE = 0.05
"""Share of the largest root mean square of a component of u, m or rad, below which a component teaches no gain."""


class MotionModel(Protocol):
    """The probability `p(x'|x, u)` of a robot's next pose, as `GaussianMotionModel` has learned it."""

    def sample(self, poses: Array, move: Array, random: np.random.Generator) -> Array:
        """Draw the poses (N, 3) after poses (N, 3) by u (3,): forward, left, m, turn, rad, in the robots' axes."""


@dataclass
class GaussianMotionModel:
    """The robot moves by u plus Gaussian errors, whose variances are sums of shares of the squares of u.

    After the odometry model of Thrun, Burgard, Fox, "Probabilistic Robotics" (2005), section 5.4, for displacements in
    all three directions, so that it serves holonomic robots as well. u is a displacement (forward, left, m, turn, rad),
    measured by odometry or computed as a velocity times its duration.

    Attributes:
        gains: (3, 3) variance of each component of the displacement per square of each component of u.
        bias: (3,) mean error per component of u.
    """

    gains: Array = field(default_factory=lambda: np.zeros((3, 3)))
    bias: Array = field(default_factory=lambda: np.zeros(3))

    def learn(self, poses: Array, moves: Array, after: Array) -> None:
        """Fit to N motions: from poses (N, 3) by u (N, 3) to poses (N, 3).

        A component of u that hardly occurs explains no errors: a robot on two wheels moves sideways only by the bend of
        its way, and any gain would fit.

        Raises:
            ValueError: a number is not finite.
        """
        from scipy.optimize import nnls

        errors = displacements(poses, after) - moves
        if not np.isfinite(errors).all():
            raise ValueError("motions to learn from must be finite numbers")
        squares = moves * moves
        total = squares.sum(axis=0)
        self.bias = np.divide((errors * moves).sum(axis=0), total, out=np.zeros(3), where=total > 0.0)
        # The mean square of what is left is the variance, and that is linear in the gains.
        left = (errors - self.bias * moves) ** 2
        taught = total > RARE**2 * total.max()
        self.gains = np.zeros((3, 3))
        # A matrix without columns would make `nnls` end the process.
        if taught.any():
            self.gains[:, taught] = [nnls(squares[:, taught], left[:, part])[0] for part in range(3)]

    def sample(self, poses: Array, move: Array, random: np.random.Generator) -> Array:
        """(N, 3) randomly drawn poses after robots at poses (N, 3) moved by u, (3,) or (N, 3)."""
        moves = np.broadcast_to(move, poses.shape)
        noise = random.standard_normal(poses.shape) * np.sqrt(self._variances(moves))
        return displaced(poses, moves * (1.0 + self.bias) + noise)

    def probability(self, after: Array, poses: Array, move: Array) -> Array:
        """(N,) density of poses (N, 3) after u, (3,) or (N, 3), at poses (N, 3); 1/(m2 rad)."""
        moves = np.broadcast_to(move, poses.shape)
        variances = self._variances(moves)
        errors = displacements(poses, after) - moves * (1.0 + self.bias)
        exponent = -0.5 * (errors * errors / variances).sum(axis=1)
        density: Array = np.exp(exponent) / np.sqrt((2.0 * math.pi) ** 3 * variances.prod(axis=1))
        return density

    def _variances(self, moves: Array) -> Array:
        return np.maximum(product(moves * moves, self.gains.T), FLOOR)
