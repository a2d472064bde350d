"""`odom`: where a robot believes it has come to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from nav_msgs.msg import Odometry

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.players.motion.interface import Triple
from simspark_ros.players.motion.odometry import LegOdometer
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.robots.kinematics import base_frame
from simspark_ros.ros.conversions import ODOM, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.simulation.velocity.wheel_drive import KIND as WHEELS
from simspark_ros.simulation.velocity.wheel_drive import WheelOdometer

_AT_REST: Triple = (0.0, 0.0, 9.81)
_FOOT = "force_resistance"


class Odometer(Protocol):
    """What `LegOdometer` and `WheelOdometer` have in common; see there."""

    pose: Transform
    linear: Array
    angular: Array

    def pause(self) -> None:
        """Go on from here although the robot may have moved."""
        ...


OdometerT = TypeVar("OdometerT", bound=Odometer)


class RobotOdometry(ABC, Generic[OdometerT]):
    """The odometry of one robot, computed once a cycle for all its topics, while one of them has subscribers.

    Attributes:
        base: pose of the base frame in `odom`, m.
        linear, angular: velocity of the base frame in its own axes, m/s and rad/s.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, odometer: OdometerT) -> None:
        model = robot.description.model
        self._handle, self._cycle, self._last, self._odometer = robot.handle, cycle, -1, odometer
        frame = base_frame(model)[1]
        self._frame = Transform(frame.rotation, frame.position + np.array(model.base.centre))
        self.base = self._frame
        self.linear: Array = np.zeros(3)
        self.angular: Array = np.zeros(3)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> RobotOdometry[Any] | None:
        """That of a robot with wheels or feet; one for all its topics."""
        kind = _kind_of(robot)
        if kind is None:
            return None
        odometry = cycle.odometry.get(robot)
        if odometry is None:
            odometry = cycle.odometry[robot] = kind(robot, cycle)
        return odometry

    @abstractmethod
    def bind(self) -> None:
        """Look up places in the arrays of the cycle: the set of robots has changed."""

    @abstractmethod
    def _take_in(self) -> None:
        """Give the odometer what was sensed in this cycle."""

    def update(self) -> None:
        """Take in the percepts of this cycle, once."""
        cycle, odometer = self._cycle.percepts.cycle, self._odometer
        if cycle == self._last:
            return
        if cycle != self._last + 1:
            odometer.pause()
        self._last = cycle
        self._take_in()
        turn = self._frame.rotation
        self.base = odometer.pose @ self._frame
        self.linear = turn.T @ (odometer.linear + np.cross(odometer.angular, self._frame.position))
        self.angular = turn.T @ odometer.angular


class FootOdometry(RobotOdometry[LegOdometer]):
    """Of a robot with feet that feel the ground, and a gyroscope in its base."""

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        self._feet = robot.perceptors(_FOOT)
        self._gyroscope, self._accelerometer = _on_base(robot, "gyroscope"), _on_base(robot, "accelerometer")
        super().__init__(robot, cycle, LegOdometer(robot.description.model, [spec.link for spec in self._feet]))

    def bind(self) -> None:
        cycle, handle = self._cycle, self._handle
        self._joints = cycle.joints(handle)
        self._gyro = cycle.values(handle, "gyroscope", self._gyroscope.name) if self._gyroscope else None
        self._force = cycle.values(handle, "accelerometer", self._accelerometer.name) if self._accelerometer else None
        slots = [cycle.slot(handle, _FOOT, spec.name) for spec in self._feet]
        self._touching = np.array([flag for _, flag in slots])
        self._contacts = np.array([slot.start for slot, _ in slots])[:, None] + np.arange(6)

    def _take_in(self) -> None:
        percepts = self._cycle.percepts
        contacts = np.where(percepts.present[self._touching, None], percepts.values[self._contacts], 0.0)
        self._odometer.update(
            self._cycle.state.joint_position[self._joints],
            self._read(self._gyro, (0.0, 0.0, 0.0)),
            self._read(self._force, _AT_REST),
            contacts[:, :3],
            contacts[:, 3:],
            self._cycle.elapsed,
        )

    def _read(self, place: slice | None, default: Triple) -> Triple:
        if place is None:
            return default
        x, y, z = self._cycle.percepts.values[place].tolist()
        return x, y, z


class WheelOdometry(RobotOdometry[WheelOdometer]):
    """Of a robot on two rows of wheels."""

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        super().__init__(robot, cycle, WheelOdometer(robot.description))

    def bind(self) -> None:
        self._joints = self._cycle.joints(self._handle)

    def _take_in(self) -> None:
        self._odometer.update(self._cycle.state.joint_position[self._joints], self._cycle.elapsed)


def has_odometry(robot: RobotEntry) -> bool:
    """Whether a robot senses how it moves."""
    return _kind_of(robot) is not None


def _kind_of(robot: RobotEntry) -> type[FootOdometry | WheelOdometry] | None:
    if any(spec.kind == WHEELS for spec in robot.description.effectors):
        return WheelOdometry
    return FootOdometry if robot.perceptors(_FOOT) and _on_base(robot, "gyroscope") else None


def _on_base(robot: RobotEntry, kind: str) -> PerceptorSpec | None:
    places = ("", robot.description.model.base.name)
    return next((spec for spec in robot.perceptors(kind) if spec.link in places), None)


class OdometryPublisher(TopicPublisher):
    """`odom` (nav_msgs/Odometry): the base frame in `odom`, from feet and inertial sensors, or from wheels; it drifts.

    It begins at the origin when the first subscriber of `odom` or `tf` comes. Covariances are 0, which means unknown.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, odometry: RobotOdometry[Any]) -> None:
        message = Odometry(child_frame_id=robot.base_frame)
        super().__init__(robot.topic("odom"), message, cycle, f"{robot.prefix}{ODOM}")
        self._odometry = odometry

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        odometry = RobotOdometry.of_robot(robot, cycle)
        return [cls(robot, cycle, odometry)] if odometry else []

    def bind(self) -> None:
        self._odometry.bind()

    def fill(self) -> bool:
        odometry, pose, twist = self._odometry, self.message.pose.pose, self.message.twist.twist
        odometry.update()
        set_xyz(pose.position, odometry.base.position.tolist())
        set_quaternion(pose.orientation, quaternion_from_rotation(odometry.base.rotation))
        set_xyz(twist.linear, odometry.linear.tolist())
        set_xyz(twist.angular, odometry.angular.tolist())
        return True
