"""Walk straight ahead at a speed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from simspark_learning.tasks.base import Judgement, Observation, bounded
from simspark_learning.tasks.body import NAO, NOISE, T1, BodyTask
from simspark_ros.physics.engine import Array, IntArray

TOLERANCE = 0.15
"""Errors of the speed for which the reward is 1 / e, m/s."""


class WalkTask(BodyTask):
    """Walk forward for ten seconds.

    Reward: up to 1 for each action by how close the speed forward is to the wanted one; less for speed to the side, for
    turning and for large actions. It ends with a fall.

    Args:
        observation: see `Task`.
        speed: wanted speed, m/s.
    """

    name = "walk"
    bodies = (NAO, T1)
    longest: ClassVar[int] = 250
    spacing: ClassVar[float] = 12.0

    def __init__(self, observation: Observation = "truth", speed: float = 0.3) -> None:
        super().__init__(observation)
        self._speed = bounded(-1.0, 1.0, speed, "walk: speed")

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand in the pose."""
        for number in who.tolist():
            self.stand_up(number, 0.0, random.normal(0.0, NOISE, len(self._batch.joints)))

    def wanted_at(self, step: IntArray) -> Array:
        """(N, 1) the speed, m/s."""
        return np.full((len(step), 1), self._speed)

    def judge(self) -> Judgement:
        """See the class."""
        standing = self.is_standing
        velocity, turn = self._batch.linear_velocity, self._batch.angular_velocity[:, 2]
        error = np.abs(velocity[:, 0] - self._speed)
        tracking = np.exp(-((error / TOLERANCE) ** 2))
        losses = 0.5 * np.abs(velocity[:, 1]) + 0.1 * np.abs(turn) + 0.05 * (self._last**2).mean(axis=1)
        return Judgement(np.where(standing, 0.2 + tracking - losses, 0.0), ~standing, standing & (error < TOLERANCE))
