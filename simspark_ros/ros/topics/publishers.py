"""What each topic carries: one feed per topic fills one message that was made beforehand.

A feed is filled only in cycles in which its topic has a subscriber. Messages are kept and reused: what never changes
(frames, names, covariances) is written once, arrays are written in place, and all share one stamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose, PoseArray, TransformStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState

from simspark_ros.msg import FootContact, FootContacts
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.ros.conversions import (
    MAP,
    NOT_REPORTED,
    ODOM,
    MovingFrames,
    TreeJoint,
    covariance,
    set_quaternion,
    set_xyz,
    wrench_at_origin,
)
from simspark_ros.ros.cycle_view import CycleView, RobotPlace


class Feed:
    """Base of feeds.

    Attributes:
        topic: relative to the robot's namespace, or to the node's for feeds of the world.
        message: that `fill` writes and the publisher sends.
        best_effort: QoS of the topic: best effort with depth 1, instead of reliable with depth 10.
    """

    topic = ""
    message: Any = None
    best_effort = False

    def bind(self, place: RobotPlace) -> None:
        """The robot's place in the arrays has changed. Feeds of the world are not told."""

    def has_news(self, view: CycleView) -> bool:
        """Whether there is something to send in this cycle."""
        return True

    def fill(self, view: CycleView) -> None:
        """Write this cycle's values into the message."""
        raise NotImplementedError


class JointStateFeed(Feed):
    """Positions, velocities and efforts of all joints of one robot."""

    topic = "joint_states"

    def __init__(self, view: CycleView, description: RobotDescription) -> None:
        """Name the joints."""
        names = [joint.name for joint in description.model.joints]
        self.message = JointState(name=names)
        self.message.header.stamp = view.stamp
        zeros = [0.0] * len(names)
        self.message.position, self.message.velocity, self.message.effort = zeros, zeros, zeros
        # Views of the message's own memory: nothing is copied number by number.
        self._position = np.frombuffer(self.message.position)
        self._velocity = np.frombuffer(self.message.velocity)
        self._effort = np.frombuffer(self.message.effort)

    def bind(self, place: RobotPlace) -> None:
        """Remember the joints' place."""
        self._joints = place.joints

    def fill(self, view: CycleView) -> None:
        """Copy three slices."""
        state = view.state
        self._position[:] = state.joint_position[self._joints]
        self._velocity[:] = state.joint_velocity[self._joints]
        self._effort[:] = state.joint_effort[self._joints]


class ImuFeed(Feed):
    """Angular velocity and specific force as perceived; optionally with the true orientation (REP-145)."""

    def __init__(
        self,
        view: CycleView,
        frame: str,
        gyroscope: PerceptorSpec,
        accelerometer: PerceptorSpec,
        orientation: bool,
    ) -> None:
        """Make the message of `imu/data` (with orientation) or `imu/data_raw`."""
        self.topic = "imu/data" if orientation else "imu/data_raw"
        self.message = Imu()
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = frame
        self.message.angular_velocity_covariance = covariance(float(gyroscope.parameters.get("noise", 0.0)))
        self.message.linear_acceleration_covariance = covariance(float(accelerometer.parameters.get("noise", 0.0)))
        self.message.orientation_covariance = covariance(0.0) if orientation else NOT_REPORTED
        self._names = (gyroscope.kind, gyroscope.name), (accelerometer.kind, accelerometer.name)
        self._orientation = orientation

    def bind(self, place: RobotPlace) -> None:
        """Find the readings of the two sensors."""
        self._row = place.row
        self._gyroscope, self._accelerometer = (place.values[name] for name in self._names)

    def fill(self, view: CycleView) -> None:
        """Copy the readings."""
        values = view.percepts.values
        set_xyz(self.message.angular_velocity, values[self._gyroscope].tolist())
        set_xyz(self.message.linear_acceleration, values[self._accelerometer].tolist())
        if self._orientation:
            set_quaternion(self.message.orientation, view.link_quaternions[self._row].tolist())


class Foot:
    """Where one force resistance perceptor is found, and the origin of its link."""

    def __init__(self, description: RobotDescription, spec: PerceptorSpec) -> None:
        """Take the perceptor."""
        self.name, self.link = spec.name, spec.link
        self._key = spec.kind, spec.name
        self._centre = np.array(description.model.link(spec.link).centre)

    def bind(self, place: RobotPlace) -> None:
        """Find its readings."""
        self._slot = place.values[self._key]
        self._flag = place.flags[self._key]

    def read(self, view: CycleView) -> tuple[bool, Any, Any]:
        """Whether it touches, contact point (3,) in the link's frame (m) and force (3,) in the link's axes (N)."""
        if not view.percepts.present[self._flag]:
            return False, _ZERO, _ZERO
        values = view.percepts.values[self._slot]
        return True, values[:3] + self._centre, values[3:]


_ZERO = np.zeros(3)


class FootContactsFeed(Feed):
    """All feet of one robot."""

    topic = "foot_contacts"

    def __init__(self, view: CycleView, frame: str, feet: Sequence[Foot]) -> None:
        """Name the feet."""
        self._feet = feet
        self.message = FootContacts(contacts=[FootContact(name=foot.name) for foot in feet])
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = frame

    def bind(self, place: RobotPlace) -> None:
        """Find the readings."""
        for foot in self._feet:
            foot.bind(place)

    def fill(self, view: CycleView) -> None:
        """Copy the readings."""
        for contact, foot in zip(self.message.contacts, self._feet, strict=True):
            contact.touching, point, force = foot.read(view)
            set_xyz(contact.point, point.tolist())
            set_xyz(contact.force, force.tolist())


class WrenchFeed(Feed):
    """Force on one foot and its torque about the origin of the foot's frame."""

    def __init__(self, view: CycleView, frame: str, foot: Foot) -> None:
        """Name the topic after the link."""
        self.topic = f"wrench/{foot.link}"
        self._foot = foot
        self.message = WrenchStamped()
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = frame

    def bind(self, place: RobotPlace) -> None:
        """Find the readings."""
        self._foot.bind(place)

    def fill(self, view: CycleView) -> None:
        """Copy force and torque."""
        _, point, force = self._foot.read(view)
        set_xyz(self.message.wrench.force, force.tolist())
        set_xyz(self.message.wrench.torque, wrench_at_origin(point, force).tolist())


class GroundTruthFeed(Feed):
    """True pose and velocity of a robot's base frame."""

    topic = "ground_truth"

    def __init__(self, view: CycleView, frame: str) -> None:
        """Name the frames."""
        self.message = Odometry(child_frame_id=frame)
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = MAP

    def bind(self, place: RobotPlace) -> None:
        """Remember the row."""
        self._row = place.row

    def fill(self, view: CycleView) -> None:
        """Copy pose and velocities."""
        motion, row = view.motion, self._row
        set_xyz(self.message.pose.pose.position, motion.position[row].tolist())
        set_quaternion(self.message.pose.pose.orientation, motion.quaternion[row].tolist())
        set_xyz(self.message.twist.twist.linear, motion.linear[row].tolist())
        set_xyz(self.message.twist.twist.angular, motion.angular[row].tolist())


class TransformFeed(Feed):
    """`odom` to the base frame, and every movable joint."""

    def __init__(
        self, view: CycleView, message: Any, prefix: str, base: str, tree: Sequence[TreeJoint], names: Sequence[str]
    ) -> None:
        """Name the frames.

        Args:
            view: of the cycle.
            message: an empty tf2_msgs/TFMessage.
            prefix: of all frame ids.
            base: the base frame.
            tree: joints of the robot's document.
            names: of the joints in the order of the engine's arrays.
        """
        self.topic = "/tf" if prefix else "tf"
        self._frames = MovingFrames(tree, {name: index for index, name in enumerate(names)})
        self._base = _transform(view.stamp, f"{prefix}{ODOM}", f"{prefix}{base}")
        self._joints_of = [
            _transform(view.stamp, f"{prefix}{joint.parent}", f"{prefix}{joint.child}") for joint in self._frames.joints
        ]
        message.transforms = [self._base, *self._joints_of]
        self.message = message

    def bind(self, place: RobotPlace) -> None:
        """Remember where the robot is."""
        self._row, self._joints = place.row, place.joints

    def fill(self, view: CycleView) -> None:
        """Copy all transforms."""
        motion = view.motion
        set_xyz(self._base.transform.translation, motion.position[self._row].tolist())
        set_quaternion(self._base.transform.rotation, motion.quaternion[self._row].tolist())
        translations, quaternions = self._frames.at(view.state.joint_position[self._joints])
        for message, xyz, quaternion in zip(self._joints_of, translations.tolist(), quaternions.tolist(), strict=True):
            set_xyz(message.transform.translation, xyz)
            set_quaternion(message.transform.rotation, quaternion)


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


class ClockFeed(Feed):
    """Simulated time, once a cycle."""

    topic = "/clock"
    best_effort = True

    def __init__(self, view: CycleView) -> None:
        """Share the stamp."""
        self.message = Clock()
        self.message.clock = view.stamp

    def fill(self, view: CycleView) -> None:
        """The shared stamp is all there is."""


class BallFeed(Feed):
    """True state of the ball. Its orientation is not simulated on topics: its frame keeps the axes of `map`."""

    topic = "ground_truth/ball"

    def __init__(self, view: CycleView) -> None:
        """Name the frames."""
        self.message = Odometry(child_frame_id="ball")
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = MAP

    def fill(self, view: CycleView) -> None:
        """Copy position and velocities."""
        state = view.state
        set_xyz(self.message.pose.pose.position, state.ball_position.tolist())
        set_xyz(self.message.twist.twist.linear, state.ball_velocity.tolist())
        set_xyz(self.message.twist.twist.angular, state.ball_angular_velocity.tolist())


class RobotsFeed(Feed):
    """True poses of the base frames of all robots that have a name, in the order of GetEntities."""

    topic = "ground_truth/robots"

    def __init__(self, view: CycleView) -> None:
        """Name the frame."""
        self.message = PoseArray()
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = MAP

    def fill(self, view: CycleView) -> None:
        """Copy the poses."""
        poses = self.message.poses
        if len(poses) != len(view.named_rows):
            poses = self.message.poses = [Pose() for _ in view.named_rows]
        positions = view.motion.position[view.named_rows].tolist()
        quaternions = view.motion.quaternion[view.named_rows].tolist()
        for pose, position, quaternion in zip(poses, positions, quaternions, strict=True):
            set_xyz(pose.position, position)
            set_quaternion(pose.orientation, quaternion)
