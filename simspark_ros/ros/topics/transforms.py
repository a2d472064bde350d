"""`tf` and `tf_static`, with `base_footprint`, where a robot on two feet stands, on the floor (REP-120)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.serialization import serialize_message

from simspark_ros.physics.geometry.hulls import sharp_corners
from simspark_ros.physics.geometry.kinematics import LinkChains
from simspark_ros.physics.geometry.rotations import (
    quaternion_from_rotation,
    quaternion_products,
    rotations_from_quaternions,
)
from simspark_ros.physics.geometry.transforms import Array, Transform, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Frame, Joint, JointKind
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.formats.urdf.importer import urdf_joints
from simspark_ros.ros.conversions import MAP, ODOM, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.odometry import RobotOdometry, has_odometry
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher, message_type

_STAMP = "=iI"
_MARK = (0x5EA1BEEF, 0x2B5A93C7)
"""Seconds and nanoseconds that no simulation reaches."""


class SerializedMessage:
    """The bytes of a message whose stamps and some numbers are replaced again and again.

    A `Transform` costs 15 us as an object of Python; here it is 56 bytes that numpy copies. The message is not changed.

    Args:
        message: a message of any type, complete except for the numbers.
        numbers: objects in the message and their attributes of float64, in the order of the values that replace them.
        stamp: the builtin_interfaces/Time that the message's headers share.
    """

    def __init__(self, message: Any, numbers: Sequence[tuple[Any, str]], stamp: Any) -> None:
        kept = [getattr(part, name) for part, name in numbers]
        time = stamp.sec, stamp.nanosec
        # Random numbers, each of 53 bits, are found again by their bytes.
        marks = 1.0 + np.random.default_rng(1).random(len(numbers))
        for (part, name), mark in zip(numbers, marks.tolist(), strict=True):
            setattr(part, name, mark)
        stamp.sec, stamp.nanosec = _MARK
        data = serialize_message(message)
        for (part, name), value in zip(numbers, kept, strict=True):
            setattr(part, name, value)
        stamp.sec, stamp.nanosec = time
        self._bytes = np.frombuffer(bytearray(data), np.uint8)
        self._places = _bytes_at([data.index(mark.tobytes()) for mark in marks])
        self._stamps = _bytes_at(_all(data, struct.pack(_STAMP, *_MARK)))

    def at(self, values: Array, stamp: Any) -> bytes:
        """The message with other values (N,) and another stamp."""
        self._bytes[self._places] = values.view(np.uint8).reshape(-1, 8)
        self._bytes[self._stamps] = np.frombuffer(struct.pack(_STAMP, stamp.sec, stamp.nanosec), np.uint8)
        return self._bytes.tobytes()


def _bytes_at(places: Sequence[int]) -> Any:
    """Indices (N, 8) of the eight bytes at each place."""
    return np.array(places, np.int64).reshape(-1, 1) + np.arange(8)


def _all(data: bytes, part: bytes) -> list[int]:
    found, place = [], data.find(part)
    while place >= 0:
        found.append(place)
        place = data.find(part, place + len(part))
    return found


FOOTPRINT = "base_footprint"
SOLES = ("l_sole", "r_sole")
"""Frames of a robot's soles (REP-120)."""


class FootprintPose:
    """The pose of `base_footprint` in the base frame, again and again.

    It lies midway between the soles, as high as the lowest point of both feet, level, with the heading of the base
    frame.

    Args:
        model: model of a robot that `has_footprint`.
    """

    def __init__(self, model: ArticulatedModel) -> None:
        soles = _soles_of(model)
        self._base = _base_link(model)
        self._feet = LinkChains([(model, [sole.link for sole in soles])])
        # Homogeneous points in the feet's frames: first the soles' middles, then corners of the feet.
        points = [[sole.position, *_corners(model, sole.link)] for sole in soles]
        most = max(map(len, points))
        padded = [each + each[:1] * (most - len(each)) for each in points]
        self._points = np.concatenate([np.array(padded, float), np.ones((2, most, 1))], 2)

    def below(self, rotation: Array, joints: Array) -> tuple[Array, Array]:
        """Position (3,), m, and orientation (4,), x, y, z, w, in the base frame.

        Args:
            rotation: (3, 3) rotation from the base frame to a frame that is level.
            joints: (J,) positions of the robot's joints, rad or m.
        """
        turn = rotation @ self._base.rotation
        feet = turn @ self._feet.at(joints)[:, :3]
        points = np.einsum("fij,fpj->fpi", feet, self._points) + rotation @ self._base.position
        place = points[:, 0].mean(axis=0)
        place[2] = points[..., 2].min()
        heading = rotation_from_rpy((0.0, 0.0, math.atan2(rotation[1, 0], rotation[0, 0])))
        return place @ rotation, np.array(quaternion_from_rotation(rotation.T @ heading))


def has_footprint(model: ArticulatedModel) -> bool:
    """Whether a robot has two soles, and no `base_footprint` of its own file."""
    own = {link.name for link in model.links} | {frame.name for frame in model.frames}
    return FOOTPRINT not in own and len(_soles_of(model)) == len(SOLES)


def _soles_of(model: ArticulatedModel) -> list[Frame]:
    return [frame for frame in model.frames if frame.name in SOLES]


def _corners(model: ArticulatedModel, link: str) -> Iterator[Array]:
    """Corners of the boxes and hulls of a link, in the link's frame, m."""
    for shape in model.link(link).collisions:
        pose = Transform.of(shape.position, shape.rpy)
        for corner in sharp_corners(shape) if shape.is_boxed else ():
            yield pose.apply(corner)


def transform_message() -> type[Any] | None:
    """The message type of tf; None where tf2_msgs is not installed, which does not come with the ROS wheels of PyPI."""
    try:
        return message_type("tf2_msgs/msg/TFMessage")
    except TopicError:
        return None


class TransformPublisher(TopicPublisher):
    """`tf` (tf2_msgs/TFMessage): `map` to `odom`, `odom` to the base frame, and every movable joint.

    `odom` to the base frame is the robot's odometry. `map` to `odom` corrects it, so that the base frame has its true
    place in `map`, unless the parameter `localization` leaves this to a node that localizes. Robots without odometry
    have their true pose in `odom`, which `tf_static` puts into `map`. A robot with two soles also has `base_footprint`,
    on the floor below its base frame (REP-120). If the file has links above the base frame, `odom` leads to their root.

    The numbers go into the bytes of the message, never into its transforms: `values` (M, 7) are the translation, m, and
    the quaternion of each in the last cycle that was filled.

    The parameter `tf` decides: the topic is the robot's own, its own without the joints, `/tf` with the robot's
    namespace before every frame id, or none.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, message: Any, odometry: RobotOdometry | None = None) -> None:
        super().__init__("/tf" if robot.prefix else robot.topic("tf"), message, cycle)
        names = {joint.name: index for index, joint in enumerate(robot.description.model.joints)}
        self._handle, prefix = robot.handle, robot.prefix
        joints = urdf_joints(robot.description.urdf)
        self._frames = MovingFrames([] if robot.tf == "base" else joints, names)
        self._odometry = odometry
        model = robot.description.model
        self._footprint = FootprintPose(model) if has_footprint(model) else None
        edges = [(MAP, f"{prefix}{ODOM}")] if odometry and robot.localized else []
        self._base = len(edges)
        root, self._root = _root_of(model, joints)
        edges.append((f"{prefix}{ODOM}", f"{prefix}{root}"))
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
        if self._root:
            base = self.values[self._base]
            root = Transform(rotations_from_quaternions(base[None, 3:])[0], base[:3]) @ self._root
            base[:3], base[3:] = root.position, quaternion_from_rotation(root.rotation)
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


def _root_of(model: ArticulatedModel, joints: Sequence[Joint]) -> tuple[str, Transform | None]:
    """The link of the file from which all others hang, and its pose in the base frame; None for the base frame."""
    above = {joint.child: joint for joint in joints}
    root, pose = model.base.name, _base_link(model)
    while root in above:
        pose = pose @ Transform.of(above[root].position, above[root].rpy).inverse()
        root = above[root].parent
    return root, None if root == base_frame(model)[0] else pose


def _base_link(model: ArticulatedModel) -> Transform:
    """The pose of the base link in the base frame."""
    _, frame = base_frame(model)
    return Transform(frame.rotation, frame.position + np.array(model.base.centre)).inverse()


def static_transforms(stamp: Any, robot: RobotEntry) -> list[Any]:
    """All fixed joints, and `map` to `odom`, the identity, for a localized robot without odometry.

    The joints come from the document, so frames have the same names as those of robot_state_publisher, which sends the
    joints itself if `tf` is `base`.
    """
    prefix = robot.prefix
    is_still = robot.localized and not has_odometry(robot)
    transforms = [_transform(stamp, MAP, f"{prefix}{ODOM}")] if is_still else []
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


def _orientation(joint: Joint) -> tuple[float, float, float, float]:
    """Orientation of a joint's frame in its parent's frame; x, y, z, w."""
    return quaternion_from_rotation(rotation_from_rpy(joint.rpy))
