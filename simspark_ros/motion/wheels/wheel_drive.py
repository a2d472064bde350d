"""A robot on driven wheels: its drive for `Locomotion`, and odometry by the turns of the wheels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.motion.models.neural import NeuralMotionModel, NeuralParameters
from simspark_ros.motion.wheels.wheel_parameters import WheelParameters
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.description import RobotDescription

KIND = "wheels"

CREEP = 5e-3
"""Speed of a learned motion below which a robot that is to stand does stand, m/s and rad/s."""

FASTEST = 1e3
"""Largest commanded velocity, m/s and rad/s; wheels are slower."""


class WheelDrive(Drive):
    """Speeds of the wheels for a velocity of the robot: each rim moves as the robot does along the wheel's direction.

    Args:
        description: description of the robot.
        cycle: length of a cycle, s, for the limits of acceleration.

    Attributes:
        joints: (K,) indices in the robot's model of the wheels.
        middle: (3,) the point that the commanded velocity is for, in the base link's frame, m.
        matrix: (K, 3) rim speed of each wheel per forward and leftward velocity of this point and turn; 1, 1, m.
        pid: controller that makes torques of speeds; None = motors follow the speeds.

    Raises:
        ConfigurationError: the robot has no such joints, or they cannot make it move.
    """

    def __init__(self, description: RobotDescription, cycle: float = 0.02) -> None:
        spec = next(spec for spec in description.effectors if spec.kind == KIND)
        place, model = description.place(spec), description.model
        parameters = build(WheelParameters, dict(spec.parameters), place)
        used = parameters.omni or (*parameters.left, *parameters.right)
        names = [joint.name for joint in model.joints]
        for name in used:
            if name not in names:
                known = ", ".join(names)
                raise ConfigurationError(f"{place}: there is no joint '{name}'; there are: {known}")
        self.joints: NDArray[np.int64] = np.array([names.index(name) for name in used])
        self._radius = parameters.radius
        self._fastest = [float(model.joints[index].max_velocity) for index in self.joints]
        points, directions = _wheels(model, self.joints)
        if parameters.omni:
            self.middle: Array = np.zeros(3)
            self.matrix = _matrix(points[:, :2], directions)
            if not np.isfinite(directions).all() or np.linalg.matrix_rank(self.matrix, 1e-3) < 3:
                needed = "three wheels or more, on level axles that neither are all parallel nor all meet in one point"
                raise ConfigurationError(f"{place}: omni: a robot that goes everywhere needs {needed}")
        else:
            self.middle = points.mean(axis=0) * (1.0, 1.0, 0.0)
            sides = [1.0] * len(parameters.left) + [-1.0] * len(parameters.right)
            half = parameters.track / 2.0
            self.matrix = _matrix(np.array([(0.0, side * half) for side in sides]), np.array([(1.0, 0.0)] * len(used)))
        self._inverse = np.linalg.pinv(self.matrix)
        efforts = np.array([model.joints[index].max_effort for index in self.joints])
        self.pid = None if parameters.pid is None else VelocityPid(parameters.pid, efforts, cycle)
        self._steps = cycle * parameters.max_acceleration, cycle * parameters.max_turn_acceleration
        self._velocity: Array = np.zeros(3)
        self._model = _model(parameters.motion_model, cycle, place)

    @property
    def is_standing(self) -> bool:
        """Whether the robot is to stand."""
        return not self._velocity.any()

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """See `Drive.update`.

        The velocity nears the commanded one within the largest acceleration. A velocity too fast for a wheel is scaled
        down, so that the way keeps its shape.
        """
        given = (command.forward, command.left, command.turn) if command else (0.0, 0.0, 0.0)
        wanted = np.array([min(max(value, -FASTEST), FASTEST) for value in given])
        # Drop the part that the wheels cannot do, such as sideways on two rows of wheels.
        wanted = self._inverse.dot(self.matrix.dot(wanted))
        rims = zip(self._fastest, self.speeds(wanted).tolist(), strict=True)
        wanted *= min(1.0, min(fastest / max(abs(speed), 1e-9) for fastest, speed in rims))
        if self._model is not None:
            return self.speeds(self._follow_model(self._model, wanted))
        velocity: list[float] = self._velocity.tolist()
        change = [goal - now for goal, now in zip(wanted.tolist(), velocity, strict=True)]
        # Forward and left share one limit, so that the velocity changes in a straight line.
        lengths = math.hypot(change[0], change[1]), abs(change[2])
        along, turn = (
            min(1.0, step / length) if length else 1.0 for step, length in zip(self._steps, lengths, strict=True)
        )
        shares = (along, along, turn)
        self._velocity = np.array([v + c * share for v, c, share in zip(velocity, change, shares, strict=True)])
        return self.speeds(self._velocity)

    def _follow_model(self, model: NeuralMotionModel, wanted: Array) -> Array:
        """Velocity (3,) after a cycle, as the model predicts it; below `CREEP` the robot stands."""
        _, velocities = model.step(self._velocity[None, ::2], wanted[None, ::2])
        velocity = np.clip(np.array([velocities[0, 0], 0.0, velocities[0, 1]]), -FASTEST, FASTEST)
        self._velocity = velocity if wanted.any() or np.abs(velocity).max() > CREEP else np.zeros(3)
        return self._velocity

    def speeds(self, velocity: Array) -> Array:
        """Speeds (K,) of the wheels, rad/s, for a velocity (3,) of the robot: forward, left, m/s, and turn, rad/s."""
        speeds: Array = self.matrix.dot(velocity) / self._radius
        return speeds

    def motion(self, turns: Array) -> Array:
        """See `Drive.motion`; without slip, by least squares where wheels contradict each other."""
        motion: Array = self._inverse @ (self._radius * turns)
        return motion


class VelocityPid:
    """Torques by which K wheels follow their speeds: a PID controller for each.

    The integral stops where the torque is at its limit.

    Args:
        gains: gains for error, sum and change, N m per rad/s, per rad, and per rad/s2.
        limits: (K,) largest torques, N m.
        cycle: time between two updates, s.
    """

    def __init__(self, gains: tuple[float, float, float], limits: Array, cycle: float) -> None:
        self._gains, self._limits, self._cycle = gains, limits, cycle
        self._sum: Array = np.zeros(len(limits))
        self._before: Array | None = None

    def update(self, wanted: Array, measured: Array) -> Array:
        """Torques (K,) of the next cycle, N m, from wanted and measured speeds (K,), rad/s."""
        p, i, d = self._gains
        error = wanted - measured
        change = (error - (error if self._before is None else self._before)) / self._cycle
        self._before = error
        total = self._sum + error * self._cycle
        torque = p * error + i * total + d * change
        is_free = np.abs(torque) < self._limits
        self._sum = np.where(is_free, total, self._sum)
        return np.clip(torque, -self._limits, self._limits)


def _model(parameters: NeuralParameters | None, cycle: float, place: str) -> NeuralMotionModel | None:
    if parameters is None:
        return None
    if abs(parameters.interval - cycle) > 1e-3 * cycle:
        wrong = f"has steps of {parameters.interval:g} s, but the world's cycle is {cycle:g} s"
        raise ConfigurationError(f"{place}: motion_model: {wrong}; train one with a log of such steps")
    return NeuralMotionModel(parameters)


def _wheels(model: ArticulatedModel, joints: NDArray[np.int64]) -> tuple[Array, Array]:
    """Middles (K, 3) of wheels, m, and unit vectors (K, 2) along which they roll, in the base link's frame.

    The vector of a wheel with a tilted axle is NaN.
    """
    frames = link_frames(model)
    places = [frames[model.joints[index].child] for index in joints]
    axes = np.array([p.rotation @ np.array(model.joints[i].axis) for i, p in zip(joints, places, strict=True)])
    level = np.hypot(axes[:, 0], axes[:, 1])
    # A wheel that turns about its axle rolls along axle x up.
    directions = np.stack((axes[:, 1], -axes[:, 0]), 1) / np.where(level > 0.9, level, np.nan)[:, None]
    return np.array([place.position for place in places]), directions


def _matrix(points: Array, directions: Array) -> Array:
    # A turn moves the point (x, y) along (-y, x); a wheel sees the part along its direction.
    (x, y), (along, across) = points.T, directions.T
    return np.stack((along, across, x * across - y * along), 1)


class WheelOdometer:
    """Adds up the turns of the wheels on flat ground, from the origin. Slip is not noticed.

    Args:
        description: description of the robot.
        drive: drive of the robot; None = its wheels.

    Attributes:
        pose: pose of the base link's frame in the frame in which it started, m.
        linear, angular: velocity of the base link in its own axes, m/s and rad/s.
    """

    def __init__(self, description: RobotDescription, drive: Drive | None = None) -> None:
        self._drive = drive or WheelDrive(description)
        self._yaw = 0.0
        self._before: Array | None = None
        height = description.spawn_height - description.model.base.centre[2]
        self.pose = Transform(position=np.array([0.0, 0.0, height]))
        self.linear: Array = np.zeros(3)
        self.angular: Array = np.zeros(3)

    def carry(self, forward: float, left: float, turn: float) -> None:
        """Go on after a gap in the readings, with the movement in it: m in the axes in its middle, and rad."""
        mean = rotation_from_rpy((0.0, 0.0, self._yaw + turn / 2.0))
        self._yaw += turn
        rotation = rotation_from_rpy((0.0, 0.0, self._yaw))
        self.pose, self._before = Transform(rotation, self.pose.position + mean @ (forward, left, 0.0)), None

    def update(self, angles: Array, seconds: float) -> None:
        """Take in the positions (J,) of all joints, rad or m, at the end of a cycle of this length, s."""
        angles = angles[self._drive.joints]
        moved = np.asarray(self._drive.motion(angles - (angles if self._before is None else self._before)), float)
        if not np.isfinite(moved).all():
            raise ValueError(f"motion gives {moved}; it must be finite numbers")
        forward, left, turn = moved.tolist()
        self._before = angles
        middle = self.pose.apply(self._drive.middle)
        # The way is an arc: its chord has the mean direction.
        chord = math.sin(turn / 2.0) / (turn / 2.0) if turn else 1.0
        mean = rotation_from_rpy((0.0, 0.0, self._yaw + turn / 2.0))
        self._yaw += turn
        rotation = rotation_from_rpy((0.0, 0.0, self._yaw))
        middle = middle + chord * (mean @ (forward, left, 0.0))
        self.pose = Transform(rotation, middle - rotation @ self._drive.middle)
        self.angular = np.array([0.0, 0.0, turn / seconds])
        self.linear = np.array([forward, left, 0.0]) / seconds - np.cross(self.angular, self._drive.middle)
