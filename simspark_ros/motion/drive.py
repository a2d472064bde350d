"""What moves a robot at a commanded velocity by its joints: wheels of this package, and drives of others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.schema import Checked
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.motion.models.gaussian import GaussianMotionModel, MotionModel
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import RobotDescription


@dataclass(frozen=True)
class NoParameters(Checked):
    """Of a drive that has none in robots' files."""


class Drive(ABC):
    """The motion of one robot. Robots' files name a plug-in as an effector, which takes velocities from `cmd_vel`.

    A plug-in is made with the robot's description, its `options` as the robot's file has them, and the length of a
    cycle, s; what it raises then is why the robot is refused.

    Attributes:
        options: dataclass of its parameters in a robot's file.
        joints: (K,) indices in the robot's model of the joints that it moves.
        middle: (3,) the point whose velocity is commanded, in the base link's frame, m.
        motion_model: `p(x'|x, u)` of where the robot comes to when odometry tells a displacement u in a cycle; None =
            unknown, until `learn`. A plug-in may bring its own.
    """

    options: ClassVar[type[Any]] = NoParameters
    joints: NDArray[np.int64]
    middle: Array
    motion_model: MotionModel | None = None

    def __init__(self, description: RobotDescription, parameters: Any, cycle: float) -> None:
        self.middle = np.zeros(3)

    @property
    @abstractmethod
    def is_standing(self) -> bool:
        """Whether it has come to a stand; half a second later its joints are free for other commands."""

    @abstractmethod
    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` in the next cycle, rad/s or m/s; without a command the robot is to stand.

        Args:
            time: of the simulation, s.
            angles: (J,) of all joints of the robot's model, rad or m.
            gyro: angular velocity in the sensor's axes, rad/s; 0 for a robot without one.
            accelerometer: specific force in the sensor's axes, m/s2; that at rest for a robot without one.
            command: wanted velocity of `middle` forward and left, m/s, and turn, rad/s.
        """

    @abstractmethod
    def motion(self, turns: Array) -> Array:
        """(3,) how far `middle` comes forward and left, m, and the robot turns, rad, by turns (K,) of `joints`.

        Odometry adds them up.
        """

    def learn(self, poses: Array, moves: Array, after: Array) -> None:
        """Learn the motion model from N motions: from poses (N, 3) by u (N, 3) to poses (N, 3).

        Raises:
            ValueError: a number is not finite.
        """
        model = GaussianMotionModel()
        model.learn(poses, moves, after)
        self.motion_model = model
