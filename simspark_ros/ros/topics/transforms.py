"""`tf` and `tf_static`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import TransformStamped

from simspark_ros.ros.conversions import MAP, ODOM, MovingFrames, TreeJoint, set_quaternion, set_xyz, tree_joints
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

    By the parameter `tf` it is the robot's own topic, `/tf` with the robot's namespace before every frame id, or none.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, message: Any) -> None:
        super().__init__("/tf" if robot.prefix else robot.topic("tf"), message, cycle)
        names = {joint.name: index for index, joint in enumerate(robot.description.model.joints)}
        self._handle, prefix = robot.handle, robot.prefix
        self._frames = MovingFrames(tree_joints(robot.description.urdf), names)
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
        """Look up robot and joints."""
        self._row, self._joints = self.cycle.row(self._handle), self.cycle.joints(self._handle)

    def fill(self) -> bool:
        """Copy all transforms."""
        motion = self.cycle.motion
        set_xyz(self._base.transform.translation, motion.position[self._row].tolist())
        set_quaternion(self._base.transform.rotation, motion.quaternion[self._row].tolist())
        translations, quaternions = self._frames.at(self.cycle.state.joint_position[self._joints])
        for message, xyz, quaternion in zip(self._joints_of, translations.tolist(), quaternions.tolist(), strict=True):
            set_xyz(message.transform.translation, xyz)
            set_quaternion(message.transform.rotation, quaternion)
        return True


def static_transforms(stamp: Any, prefix: str, tree: Sequence[TreeJoint]) -> list[Any]:
    """`map` to `odom`, which is the identity in a simulator that knows where everything is, and all fixed joints."""
    transforms = [_transform(stamp, MAP, f"{prefix}{ODOM}")]
    for joint in tree:
        if not joint.joint:
            message = _transform(stamp, f"{prefix}{joint.parent}", f"{prefix}{joint.child}")
            set_xyz(message.transform.translation, joint.translation)
            set_quaternion(message.transform.rotation, joint.quaternion)
            transforms.append(message)
    return transforms


def _transform(stamp: Any, parent: str, child: str) -> Any:
    message = TransformStamped(child_frame_id=child)
    message.header.stamp = stamp
    message.header.frame_id = parent
    return message
