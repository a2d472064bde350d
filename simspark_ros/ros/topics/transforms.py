"""`tf` and `tf_static`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import quaternion_products, quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import Joint, JointKind
from simspark_ros.robots.urdf.importer import urdf_joints
from simspark_ros.ros.conversions import MAP, ODOM, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher, message_type


def transform_message() -> type[Any] | None:
    """The message type of tf; None where tf2_msgs is not installed, which does not come with the ROS wheels of PyPI."""
    try:
        return message_type("tf2_msgs/msg/TFMessage")
    except TopicError:
        return None


class TransformPublisher(TopicPublisher):
    """`tf` (tf2_msgs/TFMessage): `odom` to the base frame, and every movable joint.

    By the parameter `tf` it is the robot's own topic, that topic without the joints, `/tf` with the robot's namespace
    before every frame id, or none.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, message: Any) -> None:
        super().__init__("/tf" if robot.prefix else robot.topic("tf"), message, cycle)
        names = {joint.name: index for index, joint in enumerate(robot.description.model.joints)}
        self._handle, prefix = robot.handle, robot.prefix
        joints = [] if robot.tf == "base" else urdf_joints(robot.description.urdf)
        self._frames = MovingFrames(joints, names)
        self._base = _transform(cycle.stamp, f"{prefix}{ODOM}", robot.base_frame)
        self._joints_of = [
            _transform(cycle.stamp, f"{prefix}{joint.parent}", f"{prefix}{joint.child}")
            for joint in self._frames.joints
        ]
        message.transforms = [self._base, *self._joints_of]

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic, unless the parameter `tf` says none, or there is no message type."""
        message = transform_message()
        return [] if robot.tf == "none" or message is None else [cls(robot, cycle, message())]

    def bind(self) -> None:
        self._row, self._joints = self.cycle.row(self._handle), self.cycle.joints(self._handle)

    def fill(self) -> bool:
        motion = self.cycle.motion
        set_xyz(self._base.transform.translation, motion.position[self._row].tolist())
        set_quaternion(self._base.transform.rotation, motion.quaternion[self._row].tolist())
        translations, quaternions = self._frames.at(self.cycle.state.joint_position[self._joints])
        for message, xyz, quaternion in zip(self._joints_of, translations.tolist(), quaternions.tolist(), strict=True):
            set_xyz(message.transform.translation, xyz)
            set_quaternion(message.transform.rotation, quaternion)
        return True


def static_transforms(stamp: Any, robot: RobotEntry) -> list[Any]:
    """`map` to `odom`, which is the identity in a simulator that knows where everything is, and all fixed joints.

    They come from the document, so that frames have the names that robot_state_publisher gives them, which sends them
    itself where `tf` is `base`.
    """
    prefix = robot.prefix
    transforms = [_transform(stamp, MAP, f"{prefix}{ODOM}")]
    for joint in () if robot.tf == "base" else urdf_joints(robot.description.urdf):
        if joint.kind is JointKind.FIXED:
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


def _orientation(joint: Joint) -> list[float]:
    """Of a joint's frame in its parent's; x, y, z, w."""
    orientation: list[float] = quaternions_from_rotations(rotation_from_rpy(joint.rpy)[None])[0].tolist()
    return orientation
