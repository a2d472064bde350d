"""`tf` and `tf_static`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import (
    quaternion_from_rotation,
    quaternion_products,
    rotations_from_quaternions,
)
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.physics.model import Joint, JointKind
from simspark_ros.robots.formats.urdf.importer import WORLD, urdf_joints
from simspark_ros.ros.conversions import MAP, ODOM, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.footprint import FOOTPRINT, Footprint, has_footprint
from simspark_ros.ros.topics.odometry import RobotOdometry, has_odometry
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher, message_type
from simspark_ros.ros.topics.serialized import SerializedMessage


def transform_message() -> type[Any] | None:
    """The message type of tf; None where tf2_msgs is not installed, which does not come with the ROS wheels of PyPI."""
    try:
        return message_type("tf2_msgs/msg/TFMessage")
    except TopicError:
        return None


class TransformPublisher(TopicPublisher):
    """`tf` (tf2_msgs/TFMessage): `map` to `odom`, `odom` to the base frame, and every movable joint.

    The base frame is in `odom` where the robot's odometry has it, and `map` to `odom` corrects that, so that the base
    frame is in `map` where it is, unless the parameter `localization` leaves this to a node that localizes. Robots
    without odometry have their true pose in `odom`, which `tf_static` puts into `map`. A robot with two soles also has
    `base_footprint`, on the floor below its base frame (REP-120).

    The numbers go into the bytes of the message, never into its transforms: `values` (M, 7) are the translation, m, and
    the quaternion of each in the last cycle that was filled.

    The parameter `tf` decides: the topic is the robot's own, its own without the joints, `/tf` with the robot's
    namespace before every frame id, or none.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, message: Any, odometry: RobotOdometry | None = None) -> None:
        super().__init__("/tf" if robot.prefix else robot.topic("tf"), message, cycle)
        names = {joint.name: index for index, joint in enumerate(robot.description.model.joints)}
        self._handle, prefix = robot.handle, robot.prefix
        joints = [] if robot.tf == "base" else urdf_joints(robot.description.urdf)
        self._frames = MovingFrames(joints, names)
        self._odometry = odometry
        model = robot.description.model
        self._footprint = Footprint(model) if has_footprint(model) else None
        edges = [(MAP, f"{prefix}{ODOM}")] if odometry and robot.localized else []
        self._base = len(edges)
        edges.append((f"{prefix}{ODOM}", robot.base_frame))
        edges += [(robot.base_frame, f"{prefix}{FOOTPRINT}")] if self._footprint else []
        edges += [(f"{prefix}{joint.parent}", f"{prefix}{joint.child}") for joint in self._frames.joints]
        message.transforms = [_transform(cycle.stamp, parent, child) for parent, child in edges]
        self.values = np.zeros((len(edges), 7))
        self._serialized: SerializedMessage | None = None

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic, unless the parameter `tf` says none, or there is no message type."""
        message = transform_message()
        if robot.tf == "none" or message is None:
            return []
        return [cls(robot, cycle, message(), RobotOdometry.of_robot(robot, cycle))]

    def bind(self) -> None:
        self._row, self._joints = self.cycle.row(self._handle), self.cycle.joints(self._handle)
        if self._odometry:
            self._odometry.bind()

    def refresh(self) -> None:
        super().refresh()
        if self._odometry:
            self._odometry.wanted[self.topic] = self.active

    def fill(self) -> bool:
        joints = self.cycle.state.joint_position[self._joints]
        translations, quaternions = self._frames.at(joints)
        first = len(self.values) - len(translations)
        self.values[first:, :3], self.values[first:, 3:] = translations, quaternions
        self._fill_base(self.values[: self._base + 1])
        if self._footprint:
            rotation = rotations_from_quaternions(self.values[self._base, None, 3:])[0]
            below = self.values[self._base + 1]
            below[:3], below[3:] = self._footprint.below(rotation, joints)
        return True

    def send(self) -> None:
        if self._serialized is None:
            transforms = self.message.transforms
            numbers = [
                (part, name)
                for each in transforms
                for part, names in ((each.transform.translation, "xyz"), (each.transform.rotation, "xyzw"))
                for name in names
            ]
            self._serialized = SerializedMessage(self.message, numbers, self.cycle.stamp)
        self._publisher.publish(self._serialized.at(self.values.ravel(), self.cycle.stamp))
        self.published += 1

    def _fill_base(self, rows: Array) -> None:
        """Write `map` to `odom`, if it is sent, and `odom` to the base frame."""
        position, quaternion = self.cycle.motion.position[self._row], self.cycle.motion.quaternion[self._row]
        if self._odometry is None:
            rows[-1, :3], rows[-1, 3:] = position, quaternion
            return
        self._odometry.update()
        rows[-1, :3], rows[-1, 3:] = self._odometry.base.position, self._odometry.quaternion
        if len(rows) > 1:
            true = Transform(rotations_from_quaternions(quaternion[None])[0], position)
            origin = true @ self._odometry.base.inverse()
            rows[0, :3], rows[0, 3:] = origin.position, quaternion_from_rotation(origin.rotation)


def static_transforms(stamp: Any, robot: RobotEntry) -> list[Any]:
    """All fixed joints, and `map` to `odom`, the identity, for a localized robot without odometry.

    The joints come from the document, so that frames have the names that robot_state_publisher gives them, which sends
    them itself where `tf` is `base`.
    """
    prefix = robot.prefix
    is_still = robot.localized and not has_odometry(robot)
    transforms = [_transform(stamp, MAP, f"{prefix}{ODOM}")] if is_still else []
    # What bolts the robot is no part of its tree: the base has a parent already, where it is now.
    outside = {WORLD} - {robot.description.model.base.name}
    for joint in () if robot.tf == "base" else urdf_joints(robot.description.urdf):
        if joint.kind is JointKind.FIXED and joint.parent not in outside:
            message = _transform(stamp, f"{prefix}{joint.parent}", f"{prefix}{joint.child}")
            set_xyz(message.transform.translation, joint.position)
            set_quaternion(message.transform.rotation, _orientation(joint))
            transforms.append(message)
    return transforms


def _transform(stamp: Any, parent: str, child: str) -> Any:
    message = TransformStamped(child_frame_id=child)
    message.header.stamp = stamp
    message.header.frame_id = parent
    return message


class MovingFrames:
    """Transforms of the movable joints of one robot; `index_of` has their indices in the arrays of positions."""

    def __init__(self, joints: Sequence[Joint], index_of: dict[str, int]) -> None:
        self.joints = tuple(joint for joint in joints if joint.name in index_of)
        self._index = np.array([index_of[joint.name] for joint in self.joints], np.int64)
        self._origin = np.array([_orientation(joint) for joint in self.joints]).reshape(-1, 4)
        self._translation = np.array([joint.position for joint in self.joints]).reshape(-1, 3)
        self._axis = np.array([joint.axis for joint in self.joints]).reshape(-1, 3)
        # The axes in the parents' frames.
        self._along = np.array([rotation_from_rpy(joint.rpy) @ joint.axis for joint in self.joints]).reshape(-1, 3)
        self._slides = np.array([joint.kind is JointKind.PRISMATIC for joint in self.joints], bool)

    def at(self, positions: Array) -> tuple[Array, Array]:
        """Translations (M, 3), m, and quaternions (M, 4) of children in their parents. positions: (J,) rad or m."""
        position = positions.take(self._index)
        angle = np.where(self._slides, 0.0, position) / 2
        turn = np.empty((len(angle), 4))
        turn[:, :3] = self._axis * np.sin(angle)[:, None]
        turn[:, 3] = np.cos(angle)
        translation = self._translation
        if self._slides.any():
            translation = translation + self._along * np.where(self._slides, position, 0.0)[:, None]
        return translation, quaternion_products(self._origin, turn)


def _orientation(joint: Joint) -> tuple[float, float, float, float]:
    """Orientation of a joint's frame in its parent's frame; x, y, z, w."""
    return quaternion_from_rotation(rotation_from_rpy(joint.rpy))
