"""The team's gait for any robot with the Nao's body, whatever its joints are called."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.motion.adapted import AdaptedMotion
from simspark_ros.motion.interface import BodyReadings, LookAt, Stand, Triple, Walk
from simspark_ros.motion.settings import MotionSettings, load_motion_settings
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotDescription


class Walker:
    """Walks a robot with the Nao's body, and gets it up after a fall; head and toes are left alone.

    `cycle` is the time between two readings, s.

    Attributes:
        joints: (K,) indices in the robot's model of the joints that it moves.

    Raises:
        RobotError: the robot has another body.
    """

    def __init__(self, description: RobotDescription, cycle: float) -> None:
        self._motion = AdaptedMotion(description, _settings(description.name), cycle)
        # The neck comes first.
        self._moved = np.arange(len(self._motion.joints)) > 1
        self.joints: NDArray[np.int64] = self._motion.index[self._moved]

    @property
    def is_standing(self) -> bool:
        """Whether the robot stands still, ready to walk."""
        return self._motion.motion.is_standing

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` that answer the readings of a cycle, rad/s; without a command the robot stands.

        Args:
            time: simulated time, s.
            angles: (J,) angles of all joints of the robot's model, rad.
            gyro: angular velocity of the torso in its axes, rad/s.
            accelerometer: specific force at the torso in its axes, m/s2.
            command: wanted velocity.
        """
        readings = BodyReadings(time, angles[self._motion.index].tolist(), gyro, accelerometer)
        speeds = np.array(self._motion.update(readings, command or Stand(), LookAt()))
        moved: Array = speeds[self._moved]
        return moved


@cache
def _settings(robot: str) -> MotionSettings:
    return load_motion_settings(robot, calm=True)
