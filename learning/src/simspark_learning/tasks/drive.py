"""Drive to a place."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.tasks.base import Judgement
from simspark_learning.tasks.wheels import DrivingTask
from simspark_ros.physics.engine import Array, IntArray

AROUND, NEAR = 2.0, 0.1
"""Targets are within a square of this half width, m, and reached when they are as near."""


class DriveTask(DrivingTask):
    """Drive to a target within six seconds.

    Reward: the way that it has come nearer, m, less 0.01 for each action, and 1 for arriving, which ends the episode.
    With `percepts` the robot is told at the start where the target is, and its odometry, which drifts, tells the rest.
    """

    name = "drive"
    spacing: ClassVar[float] = 6.0
    longest: ClassVar[int] = 150

    def bind(self, batch: RobotBatch) -> None:
        """Prepare targets."""
        super().bind(batch)
        self._target: Array = np.zeros((batch.count, 2))
        self._was: Array = np.zeros(batch.count)
        self._told: Array = np.zeros((batch.count, 2))
        self._start: Array = np.zeros((batch.count, 3))

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand at the place, turned anywhere, and choose a target."""
        for number in who.tolist():
            self.stand_at(number, 0.0, 0.0, random.uniform(-np.pi, np.pi))
            self._target[number] = random.uniform(-AROUND, AROUND, 2)
        self._was[who] = self._far[who]
        self._told[who] = self.seen_from(self._target)[who]
        self._start[who] = np.nan

    def observe(self) -> Array:
        """(N, 5): target in own axes, m; own velocities forward, left, m/s, and turn, rad/s.

        `percepts` (N, 8): the target in own axes as odometry has it, m; `felt`.
        """
        if self.observation == "percepts":
            return np.concatenate([self._believed, self.felt], axis=1)
        motion = self._batch.motion
        return np.concatenate([self.seen_from(self._target), motion[:, 12:14], motion[:, 17:]], axis=1)

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

    @property
    def _believed(self) -> Array:
        """(N, 2) the targets in own axes, m: the places told at the start, less the way counted by odometry since."""
        senses = self._batch.senses
        pose = senses.sensed("odometry", 6)[:, :3]
        # The first reading is odometry's count at the start, as robots begin at rest.
        is_first = senses.has_sensed & np.isnan(self._start[:, 0])
        self._start[is_first] = pose[is_first]
        x, y, turned = np.where(senses.has_sensed[:, None], pose - self._start, 0.0).T
        moved = (x + 1j * y) * np.exp(-1j * np.nan_to_num(self._start[:, 2]))
        left = (self._told @ (1.0, 1j) - moved) * np.exp(-1j * turned)
        return np.stack((left.real, left.imag), axis=1)
