"""Base of drives, which move a robot at a commanded velocity by its joints: wheels, and drives of plug-ins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import Checked, ConfigurationError, build
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.motion.models.gaussian import GaussianMotionModel, MotionModel
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import RobotDescription

D = TypeVar("D", bound="Drive")


@dataclass(frozen=True)
class NoParameters(Checked):
    """The parameters of a drive that has none in robots' files."""


class Drive(ABC):
    """The motion of one robot. Robots' files name a drive as an effector, which takes velocities from `cmd_vel`.

    A drive is made with the robot's description, its `options` as the robot's file has them, and the length of a
    cycle, s; an exception refuses the robot.

    Attributes:
        options: dataclass of its parameters in a robot's file.
        joints: (K,) indices in the robot's model of the joints that it moves.
        middle: (3,) the point that the commanded velocity is for, in the base link's frame, m.
        motion_model: `p(x'|x, u)` of the robot's next pose when odometry measures a displacement u in a cycle; None =
            unknown, until `learn`. A plug-in may bring its own.
    """

    options: ClassVar[type[Any]] = NoParameters
    joints: NDArray[np.int64]
    middle: Array
    motion_model: MotionModel | None = None

    def __init__(self, description: RobotDescription, parameters: Any, cycle: float) -> None:
        self.middle = np.zeros(3)

    @classmethod
    def of(cls: type[D], description: RobotDescription, kind: str, cycle: float) -> D:
        """The drive of a robot whose file names it as the effector `kind`, for cycles of that length, s.

        Raises:
            ConfigurationError: the drive refuses the robot, or cannot be used.
        """
        spec = next(spec for spec in description.effectors if spec.kind == kind)
        place = description.place(spec)
        parameters = build(cls.options, dict(spec.parameters), place)
        try:
            made = cls(description, parameters, cycle)
            _check(made, len(description.model.joints))
        except UserError as error:
            raise ConfigurationError(f"{place}: {error}") from None
        # Any code may run there.
        except Exception as error:
            raise ConfigurationError(f"{place}: {type(error).__name__}: {error}") from error
        return made

    @property
    @abstractmethod
    def is_standing(self) -> bool:
        """Whether the robot stands; half a second later its joints are free for other commands."""

    @abstractmethod
    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` in the next cycle, rad/s or m/s; without a command the robot is to stand.

        Args:
            time: simulated time, s.
            angles: (J,) positions of all joints of the robot's model, rad or m.
            gyro: angular velocity in the sensor's axes, rad/s; 0 for a robot without a gyroscope.
            accelerometer: specific force in the sensor's axes, m/s2; as at rest for a robot without an accelerometer.
            command: wanted velocity of `middle` forward and left, m/s, and turn, rad/s.
        """

    @abstractmethod
    def motion(self, turns: Array) -> Array:
        """Movement (3,) of `middle` forward and left, m, and turn, rad, by turns (K,) of `joints`, for odometry."""

    def learn(self, poses: Array, moves: Array, after: Array) -> None:
        """Learn the motion model from N motions: from poses (N, 3) by u (N, 3) to poses (N, 3).

        Raises:
            ValueError: a number is not finite.
        """
        model = GaussianMotionModel()
        model.learn(poses, moves, after)
        self.motion_model = model


def _check(drive: Drive, joints: int) -> None:
    """Raise ValueError if a drive's attributes or odometry are unusable for a model with `joints` joints."""
    given = np.asarray(drive.joints)
    is_array = isinstance(drive.joints, np.ndarray) and given.ndim == 1
    if not is_array or not np.issubdtype(given.dtype, np.integer) or len(set(given.tolist())) < len(given):
        raise ValueError(f"joints must be a (K,) array of different whole numbers, not {drive.joints!r}")
    if given.size and not 0 <= given.min() <= given.max() < joints:
        raise ValueError(f"joints must be 0 to {joints - 1}, as the robot's model has them, not {given}")
    middle = np.asarray(drive.middle, float)
    if middle.shape != (3,) or not np.isfinite(middle).all():
        raise ValueError(f"middle must be (3,) numbers, m, not {middle}")
    still = np.asarray(drive.motion(np.zeros(len(given))), float)
    if still.shape != (3,) or not np.isfinite(still).all():
        raise ValueError(f"motion of joints at rest must be (3,) numbers (forward, left, turn), not {still}")
