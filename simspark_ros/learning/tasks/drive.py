"""Drive to a place."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from simspark_ros.learning.batch import RobotBatch
from simspark_ros.learning.tasks.base import Judgement
from simspark_ros.learning.tasks.wheels import DrivingTask
from simspark_ros.physics.engine import Array, IntArray

AROUND, NEAR = 2.0, 0.1
"""Targets are within a square of this half width, m, and reached when they are as near."""


class Drive(DrivingTask):
    """Drive to a target within six seconds.

    Reward: the way that it has come nearer, m, less 0.01 for each action, and 1 for arriving, which ends the episode.
    """

    name = "drive"
    robot: ClassVar[str] = "omni"
    spacing: ClassVar[float] = 6.0
    longest: ClassVar[int] = 150

    def bind(self, batch: RobotBatch) -> None:
        """Prepare targets."""
        super().bind(batch)
        self._target: Array = np.zeros((batch.count, 2))
        self._was: Array = np.zeros(batch.count)

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand at the place, turned anywhere, and choose a target."""
        for number in who.tolist():
            self.stand_at(number, 0.0, 0.0, random.uniform(-np.pi, np.pi))
            self._target[number] = random.uniform(-AROUND, AROUND, 2)
        self._was[who] = self._far[who]

    def observe(self) -> Array:
        """(N, 5): target in own axes, m; own velocities forward, left, m/s, and turn, rad/s."""
        velocity, turn = self._batch.linear_velocity[:, :2], self._batch.angular_velocity[:, 2:]
        return np.concatenate([self.seen_from(self._target), velocity, turn], axis=1)

    def judge(self) -> Judgement:
        """See the class."""
        far = self._far
        there = far < NEAR
        reward = self._was - far - 0.01 + there
        self._was = far
        return Judgement(reward, there, there)

    @property
    def _far(self) -> Array:
        """(N,) distances from the targets, m."""
        away: Array = np.linalg.norm(self._batch.position[:, :2] - self._target, axis=1)
        return away
