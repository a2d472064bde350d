"""Get up from the ground."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from simspark_learning.tasks.base import Judgement
from simspark_learning.tasks.body import NAO, T1, BodyTask
from simspark_ros.physics.engine import IntArray

ARMS = tuple(f"{side}aj{joint}" for side in "lr" for joint in (1, 2, 4))
T1_ARMS = tuple(
    f"{side}_{joint}" for side in ("Left", "Right") for joint in ("Shoulder_Pitch", "Shoulder_Roll", "Elbow_Yaw")
)

UP = 0.9
"""Share of the standing height, and cosine of the tilt, above which a robot has got up."""


class GetUpTask(BodyTask):
    """Get up from belly or back within four seconds, with arms and legs.

    Reward: for each action the height of the base and how upright it is, from 0 to 1, and 1 more while it stands. The
    episode goes on, so that it has to stay up.
    """

    name = "get_up"
    longest: ClassVar[int] = 100
    bodies = tuple(replace(body, moved=(*body.moved, *arms)) for body, arms in ((NAO, ARMS), (T1, T1_ARMS)))
    reach: ClassVar[float] = 1.5

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Lie on belly or back, turned anywhere."""
        for number in who.tolist():
            pitch = random.choice([-1.0, 1.0]) * np.pi / 2 + random.normal(0.0, 0.1)
            rpy = np.array([random.normal(0.0, 0.1), pitch, random.uniform(-np.pi, np.pi)])
            joints = self._rest + random.normal(0.0, 0.1, len(self._rest))
            self._batch.put(number, np.array([0.0, 0.0, self.body.lying]), rpy, joints)
            self._forget(number)

    def judge(self) -> Judgement:
        """See the class."""
        height, upright = np.clip(self._height, 0.0, 1.0), np.clip(self._upright, 0.0, 1.0)
        up = (self._height > UP) & (self._upright > UP)
        reward = 0.5 * height + 0.5 * height * upright + up - 0.02 * (self._last**2).mean(axis=1)
        return Judgement(reward, np.zeros(len(up), np.bool_), up)
