"""`odom`, the pose that a robot believes it has reached, with its uncertainty; `odometry` of a sensor of that kind."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import ClassVar
from weakref import WeakSet

import numpy as np
from nav_msgs.msg import Odometry

from simspark_ros.configuration.schema import build
from simspark_ros.motion.drift import LEGS, WHEELS, Drift, DriftRate
from simspark_ros.motion.odometry import LegOdometers
from simspark_ros.motion.wheels.wheel_drive import WheelOdometer
from simspark_ros.perceptors.odometry import OdometryParameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy, way_between
from simspark_ros.physics.presets import USUAL_CYCLE
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import ODOM, set_heading, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, below, interval_of
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP, kind_of_drive, make_drive

_PLANE = 0, 1, 5
"""Places of x, y and heading among the six values of a pose, or of a twist."""
_IN_PLANE = np.ix_(_PLANE, _PLANE)

_OTHERS, _DEVIATIONS = (2, 3, 4), (0.01, 0.02, 0.02)
"""Places of height, roll and pitch, and their standard deviations, m and rad (of their rates, m/s and rad/s)."""


class Covariances:
    """Writes the drift of odometry into a message that has the twist of this cycle already."""

    def __init__(self, message: Odometry) -> None:
        # Views of the message's arrays.
        self._pose, self._twist = (part.covariance.reshape(6, 6) for part in (message.pose, message.twist))
        self._velocity = message.twist.twist
        for covariance in (self._pose, self._twist):
            covariance[_OTHERS, _OTHERS] = np.square(_DEVIATIONS)

    def fill(self, drift: Drift, seconds: float) -> None:
        """Write the covariances of pose and twist; seconds: the time over which the twist is the mean."""
        linear, turn = self._velocity.linear, self._velocity.angular.z
        place, heading = drift.of_velocity(math.hypot(linear.x, linear.y), turn, seconds)
        self._pose[_IN_PLANE] = drift.covariance
        self._twist[_PLANE, _PLANE] = place, place, heading


_FOOT = "force_resistance"


class RobotOdometry(ABC):
    """The odometry of one robot, computed once a cycle for all its topics, while one of them has subscribers.

    While none has, the robot's true path is followed, at no cost, so that `odom` begins where the robot came.

    Attributes:
        rate: growth of its errors.
        drift: uncertainty of its pose.
        wanted: topic -> whether it has subscribers.
        base: pose of the base frame in `odom`, m.
        quaternion: (4,) rotation of the base frame in `odom`; x, y, z, w.
        linear, angular: velocity of the base frame in its own axes, m/s and rad/s.
    """

    rate: ClassVar[DriftRate]

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        model = robot.description.model
        frame = base_frame(model)[1]
        self.handle, self._cycle = robot.handle, cycle
        self.wanted: dict[str, bool] = {}
        self.frame = Transform(frame.rotation, frame.position + np.array(model.base.centre))
        self._centre = np.array(model.base.centre)
        self._begin()

    def _begin(self) -> None:
        """Begin at the origin."""
        self.base = Transform(self.frame.rotation)
        self.quaternion: Array = np.array([0.0, 0.0, 0.0, 1.0])
        self.linear: Array = np.zeros(3)
        self.angular: Array = np.zeros(3)
        self.drift = Drift(self.rate)
        self._heading = 0.0
        self._place: Array = np.full(3, np.nan)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> RobotOdometry | None:
        """The odometry of a robot with wheels or feet, shared by all its topics."""
        kind = _kind_of(robot)
        if kind is None:
            return None
        odometry: RobotOdometry | None = cycle.odometry.get(robot)
        if odometry is None:
            odometry = cycle.odometry[robot] = kind(robot, cycle)
        return odometry

    def bind(self) -> None:
        """Look up places in the arrays of the cycle: the set of robots has changed."""
        self._row = self._cycle.row(self.handle)
        if np.isnan(self._place).any():
            self.way()

    def go_home(self) -> None:
        """Begin again at the robot's home, where a reset has put it, though nobody may have looked at that time."""
        assert self._cycle.world is not None
        x, y, _, yaw = self._cycle.world.robots[self.handle].home
        self._begin()
        self._place = self._link_at(np.array([x, y, 0.0]), rotation_from_rpy((0.0, 0.0, yaw)))

    @abstractmethod
    def update(self) -> None:
        """Take in the percepts of this cycle, once."""

    def way(self) -> tuple[float, float, float]:
        """The true motion of the base link since the last call: forward, left, m, in its middle axes; turn, rad."""
        state, row, before = self._cycle.state, self._row, self._place
        self._place = self._link_at(state.position[row], state.rotation[row])
        return way_between(before, self._place)

    def _link_at(self, position: Array, rotation: Array) -> Array:
        """(3,) place and heading of the base link, m and rad, by the pose of its centre of mass."""
        x, y, _ = (position - rotation @ self._centre).tolist()
        return np.array([x, y, math.atan2(rotation[1, 0], rotation[0, 0])])

    def tell(self, base: Transform, quaternion: Array, linear: Array, angular: Array) -> None:
        """Give it the pose of the base frame, where the base link began at the origin, and its velocities."""
        base = Transform(base.rotation, base.position - self.frame.position * (1.0, 1.0, 0.0))
        x, y, _ = (base.position - self.base.position).tolist()
        heading = math.atan2(base.rotation[1, 0], base.rotation[0, 0])
        self.drift.move(x, y, math.remainder(heading - self._heading, 2.0 * math.pi))
        self.base, self.quaternion, self._heading = base, quaternion, heading
        self.linear, self.angular = linear, angular


class WheelOdometry(RobotOdometry):
    """Odometry of a robot on wheels, or moved by a drive of another distribution."""

    rate = WHEELS

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        super().__init__(robot, cycle)
        length = cycle.world.engine.cycle_time if cycle.world is not None else USUAL_CYCLE
        drive = make_drive(DRIVE_GROUP.parts(), robot.description, length)
        assert drive is not None
        self._make = partial(WheelOdometer, robot.description, drive)
        self._odometer, self._last, self._resets = self._make(), -1, cycle.resets

    def bind(self) -> None:
        super().bind()
        self._joints = self._cycle.joints(self.handle)

    def update(self) -> None:
        now, odometer, turn = self._cycle.percepts.cycle, self._odometer, self.frame.rotation
        if now == self._last:
            return
        is_new = self._resets != self._cycle.resets
        if is_new:
            self._resets = self._cycle.resets
            self.go_home()
            odometer = self._odometer = self._make()
        way = self.way()
        if is_new or now != self._last + 1:
            odometer.carry(*way)
        self._last = now
        odometer.update(self._cycle.state.joint_position[self._joints], self._cycle.elapsed)
        base = odometer.pose @ self.frame
        linear = turn.T @ (odometer.linear + np.cross(odometer.angular, self.frame.position))
        self.tell(base, np.array(quaternion_from_rotation(base.rotation)), linear, turn.T @ odometer.angular)


class FootOdometry(RobotOdometry):
    """Odometry of a robot with feet that feel the ground, and a gyroscope in its base; `Walkers` computes it.

    Attributes:
        model: the robot's model.
        links: names of the L feet's links.
        bound: number of the cycle's binding for which the following places hold.
        joints: (J,) places of the robot's joints in the flat arrays of joints.
        gyroscope: (3,) places of its readings in `Percepts.values`.
        readings, present: (L, 6) and (L,) places of the feet's readings in `Percepts`.
    """

    rate = LEGS

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        super().__init__(robot, cycle)
        self._specs = _feet_of(robot)
        self.model, self.links = robot.description.model, [spec.link for spec in self._specs]
        self._gyroscope = _gyroscope_of(robot)
        self._walkers = cycle.odometry.setdefault(Walkers, Walkers(cycle))

    def bind(self) -> None:
        super().bind()
        cycle, handle = self._cycle, self.handle
        assert self._gyroscope is not None
        joints = cycle.joints(handle)
        self.joints = np.arange(joints.start, joints.stop)
        found = cycle.values(handle, self._gyroscope.kind, self._gyroscope.name)
        self.gyroscope = np.arange(found.start, found.stop)
        slots = [cycle.slot(handle, _FOOT, spec.name) for spec in self._specs]
        self.readings = np.array([slot.start for slot, _ in slots])[:, None] + np.arange(6)
        self.present = np.array([flag for _, flag in slots])
        self.bound = cycle.bindings
        self._walkers.join(self)

    def update(self) -> None:
        self._walkers.update()


class Walkers:
    """Computes the odometry of all robots on feet at a time, as far as their topics have subscribers."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle
        self._members: WeakSet[FootOdometry] = WeakSet()
        self._rows: list[FootOdometry] = []
        self._legs: LegOdometers
        self._is_bound, self._last, self._resets = False, -1, cycle.resets

    def join(self, member: FootOdometry) -> None:
        """Compute a robot's odometry from now on, as long as it is bound to the present set of robots."""
        self._members.add(member)
        self._is_bound = False

    def update(self) -> None:
        """Take in the percepts of this cycle, once."""
        cycle = self._cycle
        now = cycle.percepts.cycle
        if now == self._last:
            return
        if self._resets != cycle.resets:
            self._resets = cycle.resets
            for member in self._members:
                member.go_home()
            self._rows, self._is_bound = [], False
        if not self._is_bound:
            self._bind()
        chosen = np.array([any(member.wanted.values()) for member in self._rows])
        legs = self._legs
        legs.pause(~chosen if now == self._last + 1 else np.ones_like(chosen))
        for row in np.flatnonzero(chosen).tolist():
            way = self._rows[row].way()
            if not legs.knows[row]:
                legs.carry(row, *way)
        self._last = now
        percepts = cycle.percepts
        feet = np.where(percepts.present[self._present, None], percepts.values[self._readings], 0.0)
        legs.update(
            chosen,
            cycle.state.joint_position[self._joints],
            percepts.values[self._gyroscopes],
            # The true vertical, as `imu/data` has it.
            cycle.state.rotation[self._robots, 2],
            feet[:, :3],
            feet[:, 3:],
            cycle.elapsed,
        )
        self._tell(chosen)

    def _bind(self) -> None:
        before = {member: row for row, member in enumerate(self._rows)}
        members = [member for member in self._members if member.bound == self._cycle.bindings]
        members.sort(key=lambda member: member.handle)
        legs = LegOdometers([(member.model, member.links) for member in members])
        for row, member in enumerate(members):
            if member in before:
                legs.go_on(row, self._legs, before[member])
        self._legs, self._rows, self._is_bound = legs, members, True
        self._joints = np.concatenate([member.joints for member in members])
        self._readings = np.concatenate([member.readings for member in members])
        self._present = np.concatenate([member.present for member in members])
        self._gyroscopes = np.array([member.gyroscope for member in members])
        self._robots = np.array([self._cycle.row(member.handle) for member in members])
        self._turns = np.array([member.frame.rotation for member in members])
        self._offsets = np.array([member.frame.position for member in members])

    def _tell(self, chosen: BoolArray) -> None:
        """Give robots the motion of their base frames."""
        legs, turns = self._legs, self._turns
        rotations = legs.rotation @ turns
        positions = legs.position + np.einsum("nij,nj->ni", legs.rotation, self._offsets)
        quaternions = quaternions_from_rotations(rotations)
        linear = np.einsum("nij,ni->nj", turns, legs.linear + np.cross(legs.angular, self._offsets))
        angular = np.einsum("nij,ni->nj", turns, legs.angular)
        for row in np.flatnonzero(chosen).tolist():
            base = Transform(rotations[row], positions[row])
            self._rows[row].tell(base, quaternions[row], linear[row], angular[row])


def has_odometry(robot: RobotEntry) -> bool:
    """Whether a robot senses how it moves."""
    return _kind_of(robot) is not None


def _kind_of(robot: RobotEntry) -> type[FootOdometry | WheelOdometry] | None:
    if kind_of_drive(DRIVE_GROUP.parts(), robot.description):
        return WheelOdometry
    return FootOdometry if _feet_of(robot) and _gyroscope_of(robot) else None


def _feet_of(robot: RobotEntry) -> list[PerceptorSpec]:
    """Sensors of the ground's force on links other than the base, relative to which the feet move."""
    base = robot.description.model.base.name
    return [spec for spec in robot.perceptors(_FOOT) if spec.link != base]


def _gyroscope_of(robot: RobotEntry) -> PerceptorSpec | None:
    places = ("", robot.description.model.base.name)
    return next((spec for spec in robot.perceptors("gyroscope") if spec.link in places), None)


class OdometryPublisher(TopicPublisher):
    """`odom` (nav_msgs/Odometry): the base frame in `odom`, from feet and inertial sensors, or from wheels; it drifts.

    It begins at the origin when the robot comes, and again when a reset brings it home. Covariances grow with the
    distance and the turns.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, odometry: RobotOdometry) -> None:
        message = Odometry(child_frame_id=robot.base_frame)
        super().__init__(robot.topic("odom"), message, cycle, f"{robot.prefix}{ODOM}")
        self._odometry = odometry
        self._covariances = Covariances(message)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        odometry = RobotOdometry.of_robot(robot, cycle)
        return [cls(robot, cycle, odometry)] if odometry else []

    def refresh(self) -> None:
        super().refresh()
        self._odometry.wanted[self.topic] = self.active

    def bind(self) -> None:
        self._odometry.bind()

    def fill(self) -> bool:
        odometry, pose, twist = self._odometry, self.message.pose.pose, self.message.twist.twist
        odometry.update()
        set_xyz(pose.position, odometry.base.position.tolist())
        set_quaternion(pose.orientation, odometry.quaternion.tolist())
        set_xyz(twist.linear, odometry.linear.tolist())
        set_xyz(twist.angular, odometry.angular.tolist())
        self._covariances.fill(odometry.drift, self.cycle.elapsed)
        return True


KIND = "odometry"


class OdometrySensorPublisher(TopicPublisher):
    """`odometry` (nav_msgs/Odometry): the pose that a robot believes in, with the errors that the robot's file sets.

    The frame has the sensor's name and begins where the robot was when it came; no transform says where that is.
    Covariances grow like the errors that the robot's file sets.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        message = Odometry(child_frame_id=robot.base_frame)
        super().__init__(robot.topic(below(spec, KIND)), message, cycle, f"{robot.prefix}{spec.name}")
        self._key = robot.handle, spec.kind, spec.name
        self._covariances, self._place = Covariances(message), (0.0, 0.0, 0.0)
        self._drift = Drift(_rate_of(spec))
        self.interval = interval_of([spec])

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec) for spec in robot.perceptors(KIND)]

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        self.interval, self._drift.rate = interval_of([spec]), _rate_of(spec)

    def bind(self) -> None:
        self._values = self.cycle.values(*self._key)

    def fill(self) -> bool:
        x, y, heading, forward, left, turn = self.cycle.percepts.values[self._values].tolist()
        pose, twist = self.message.pose.pose, self.message.twist.twist
        pose.position.x, pose.position.y = x, y
        set_heading(pose.orientation, heading)
        twist.linear.x, twist.linear.y, twist.angular.z = forward, left, turn
        before, self._place = self._place, (x, y, heading)
        self._drift.move(x - before[0], y - before[1], math.remainder(heading - before[2], 2.0 * math.pi))
        self._covariances.fill(self._drift, self.cycle.elapsed)
        return True


def _rate_of(spec: PerceptorSpec) -> DriftRate:
    options = build(OdometryParameters, dict(spec.parameters), spec.name)
    return DriftRate(
        options.distance_noise,
        math.radians(options.heading_noise_deg),
        math.radians(options.turn_noise_deg) / math.sqrt(2.0 * math.pi),
    )
