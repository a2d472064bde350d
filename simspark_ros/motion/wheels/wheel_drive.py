"""A robot on driven wheels: its drive for `Locomotion`, and odometry by the turns of the wheels."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.models.neural import NeuralMotionModel, NeuralParameters
from simspark_ros.motion.wheels.ramped_drive import FASTEST, RampedDrive, joints_of, wheels_of
from simspark_ros.motion.wheels.wheel_parameters import WheelParameters
from simspark_ros.physics.geometry.transforms import Array, Transform, product, rotation_from_rpy
from simspark_ros.robots.description import RobotDescription

KIND = "wheels"

CREEP = 5e-3
"""Speed of a learned motion below which a robot that is to stand does stand, m/s and rad/s."""


class WheelDrive(RampedDrive):
    """Speeds of the wheels for a velocity of the robot: each rim moves as the robot does along the wheel's direction.

    Args:
        description: description of the robot.
        parameters: the wheels, their radius and limits.
        cycle: length of a cycle, s, for the limits of acceleration.

    Attributes:
        joints: (K,) indices in the robot's model of the wheels.
        middle: (3,) the point that the commanded velocity is for, in the base link's frame, m.
        matrix: (K, 3) rim speed of each wheel per forward and leftward velocity of this point and turn; 1, 1, m.
        pid: controller that makes torques of speeds; None = motors follow the speeds.

    Raises:
        ConfigurationError: the robot has no such joints, or they cannot make it move.
    """

    options = WheelParameters

    def __init__(self, description: RobotDescription, parameters: WheelParameters, cycle: float) -> None:
        model = description.model
        used = parameters.omni or (*parameters.left, *parameters.right)
        joints = joints_of(model, used)
        points, directions = wheels_of(model, joints)
        middle: Array = np.zeros(3)
        if parameters.omni:
            matrix = _matrix(points[:, :2], directions)
            if not np.isfinite(directions).all() or np.linalg.matrix_rank(matrix, 1e-3) < 3:
                wanted = "at least three wheels on level axles, neither all parallel nor all meeting in one point"
                raise ConfigurationError(f"omni: must name {wanted}")
        else:
            middle = points.mean(axis=0) * (1.0, 1.0, 0.0)
            sides = [1.0] * len(parameters.left) + [-1.0] * len(parameters.right)
            half = parameters.track / 2.0
            matrix = _matrix(np.array([(0.0, side * half) for side in sides]), np.array([(1.0, 0.0)] * len(used)))
        super().__init__(description, parameters, cycle, joints, matrix, parameters.radius)
        self.middle = middle
        efforts = np.array([model.joints[index].max_effort for index in self.joints])
        self.pid = None if parameters.pid is None else VelocityPid(parameters.pid, efforts, cycle)
        self._model = _model(parameters.motion_model, cycle)

    def follow(self, wanted: Array) -> None:
        """See `RampedDrive.follow`; a learned model of motion replaces the limits of acceleration."""
        if self._model is None:
            super().follow(wanted)
            return
        _, velocities = self._model.step(self.velocity[None, ::2], wanted[None, ::2])
        self.velocity[::2] = np.clip(velocities[0], -FASTEST, FASTEST)
        # Below that speed a robot that is to stand does stand.
        if not wanted.any() and np.abs(self.velocity).max() <= CREEP:
            self.velocity[:] = 0.0


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
        self._sum = np.where(np.abs(torque) < self._limits, total, self._sum)
        return np.clip(torque, -self._limits, self._limits)


def _model(parameters: NeuralParameters | None, cycle: float) -> NeuralMotionModel | None:
    if parameters is None:
        return None
    if abs(parameters.interval - cycle) > 1e-3 * cycle:
        wrong = f"has steps of {parameters.interval:g} s, but the world's cycle is {cycle:g} s"
        raise ConfigurationError(f"motion_model: {wrong}; train a model with a log of that cycle")
    return NeuralMotionModel(parameters)


def _matrix(points: Array, directions: Array) -> Array:
    # A turn moves the point (x, y) along (-y, x); a wheel sees the part along its direction.
    (x, y), (along, across) = points.T, directions.T
    return np.stack((along, across, x * across - y * along), 1)


class WheelOdometer:
    """Adds up the turns of the wheels on flat ground, from the origin. Slip is not noticed.

    Args:
        description: description of the robot.
        drive: drive of the robot.

    Attributes:
        pose: pose of the base link's frame in the frame in which it started, m.
        linear, angular: velocity of the base link in its own axes, m/s and rad/s.
    """

    def __init__(self, description: RobotDescription, drive: Drive) -> None:
        self._drive = drive
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
        self.pose, self._before = Transform(rotation, self.pose.position + product(mean, (forward, left, 0.0))), None

    def update(self, angles: Array, seconds: float) -> None:
        """Take in the positions (J,) of all joints, rad or m, at the end of a cycle of this length, s."""
        angles = angles[self._drive.joints]
        moved = np.asarray(self._drive.motion(angles - (angles if self._before is None else self._before)), float)
        if not np.isfinite(moved).all():
            raise ValueError(f"motion must return finite numbers, not {moved}")
        forward, left, turn = moved.tolist()
        self._before = angles
        middle = self.pose.apply(self._drive.middle)
        # The way is an arc: its chord has the mean direction.
        chord = math.sin(turn / 2.0) / (turn / 2.0) if turn else 1.0
        mean = rotation_from_rpy((0.0, 0.0, self._yaw + turn / 2.0))
        self._yaw += turn
        rotation = rotation_from_rpy((0.0, 0.0, self._yaw))
        middle = middle + chord * product(mean, (forward, left, 0.0))
        self.pose = Transform(rotation, middle - product(rotation, self._drive.middle))
        self.angular = np.array([0.0, 0.0, turn / seconds])
        # The velocity of the base link, which the turn carries around the middle.
        self.linear = np.array([forward, left, 0.0]) / seconds - np.cross(self.angular, self._drive.middle)
