"""Stand, whatever pushes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from simspark_learning.tasks.base import Judgement, Observation, bounded
from simspark_learning.tasks.body import NAO, NOISE, T1, BodyTask
from simspark_ros.physics.engine import Array, IntArray

PUSH_RATE = 0.5
"""Pushes a second, on average."""


class StandTask(BodyTask):
    """Stand for ten seconds while pushes come from all sides.

    Reward: 1 for each action after which it stands, less for tilting and for large actions. It ends with a fall.

    Args:
        observation: see `Task`.
        push: largest change of velocity by a push, m/s; a robot that holds its pose withstands 0.4.
    """

    name = "stand"
    bodies = (NAO, T1)
    longest: ClassVar[int] = 250

    def __init__(self, observation: Observation = "truth", push: float = 0.8) -> None:
        super().__init__(observation)
        self._push = bounded(0.0, 5.0, push, "stand: push")

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand in the pose, turned anywhere."""
        for number in who.tolist():
            self.stand_up(number, random.uniform(-np.pi, np.pi), random.normal(0.0, NOISE, len(self._batch.joints)))

    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Move, and be pushed now and then."""
        super().act(actions, random)
        chance = PUSH_RATE * self.cycles * self._batch.arena.cycle_time
        for number in np.flatnonzero(random.random(self._batch.count) < chance).tolist():
            direction, speed = random.uniform(-np.pi, np.pi), random.uniform(0.0, self._push)
            self._batch.push(number, speed * np.array([np.cos(direction), np.sin(direction), 0.0]))

    def judge(self) -> Judgement:
        """See the class."""
        upright, standing = self._posture
        effort = np.add.reduce(self._last**2, 1) / self.actions
        reward = np.where(standing, 1.0 - 0.5 * (1.0 - upright) - 0.1 * effort, 0.0)
        return Judgement(reward, ~standing, standing)
