"""Base of drives whose joints turn in proportion to the robot's velocity, which changes at limited accelerations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.kernels.ramp import RampKernel
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.motion.wheels.wheel_parameters import RampParameters
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.solving import pseudo_inverse
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.description import RobotDescription

FASTEST = 1e3
"""Largest commanded velocity, m/s and rad/s; wheels are slower."""


class RampedDrive(Drive):
    """Speeds of joints for a velocity of the robot, without slip.

    Args:
        description: description of the robot.
        parameters: limits of velocity and acceleration.
        cycle: length of a cycle, s.
        joints: (K,) indices in the robot's model of the joints that it moves.
        matrix: (K, 3) speed of each rim per forward and leftward velocity of the robot and turn; 1, 1, m.
        radius: radius of the wheels, or of each wheel (K,), m.

    Attributes:
        matrix: the same.
        velocity: (3,) velocity of the robot in this cycle, forward and left, m/s, and turn, rad/s.
    """

    def __init__(
        self,
        description: RobotDescription,
        parameters: RampParameters,
        cycle: float,
        joints: NDArray[np.int64],
        matrix: Array,
        radius: float | Array,
    ) -> None:
        super().__init__(description, parameters, cycle)
        self.joints, self.matrix, self._radius = joints, matrix, radius
        self._inverse = pseudo_inverse(matrix)
        self._wanted, self.velocity = np.zeros((2, 3))
        self._fastest = parameters.max_velocity, parameters.max_turn_velocity
        self._has_limits = min(self._fastest) < math.inf
        self._kernel = RampKernel(
            possible=product(self._inverse, matrix),
            rates=matrix / np.reshape(radius, (-1, 1)),
            fastest=np.array([description.model.joints[index].max_velocity for index in joints]),
            limit=FASTEST,
            along=cycle * parameters.max_acceleration,
            turn=cycle * parameters.max_turn_acceleration,
            wanted=self._wanted,
            velocity=self.velocity,
        )

    @property
    def is_standing(self) -> bool:
        """Whether the robot is to stand."""
        return not self.velocity.any()

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """See `Drive.update`.

        The velocity nears the commanded one within the largest acceleration.
        """
        wanted = (command.forward, command.left, command.turn) if command else (0.0, 0.0, 0.0)
        self._kernel.want(*(self._limited(*wanted) if self._has_limits else wanted))
        self.follow(self._wanted)
        return self.speeds(self.velocity)

    def _limited(self, forward: float, left: float, turn: float) -> Triple:
        """A commanded velocity within the limits; the turn has a limit of its own."""
        fastest, fastest_turn = self._fastest
        speed = math.hypot(forward, left)
        share = fastest / speed if speed > fastest else 1.0
        return share * forward, share * left, max(min(turn, fastest_turn), -fastest_turn)

    def follow(self, wanted: Array) -> None:
        """Change the velocity on the way to a wanted one (3,), within the limits of acceleration."""
        self._kernel.follow()

    def speeds(self, velocity: Array) -> Array:
        """Speeds (K,) of the joints, rad/s, for a velocity (3,) of the robot: forward, left, m/s, and turn, rad/s."""
        speeds: Array = np.empty(len(self.joints))
        self._kernel.read(velocity, speeds)
        return speeds

    def motion(self, turns: Array) -> Array:
        """See `Drive.motion`; without slip, by least squares where wheels contradict each other."""
        return product(self._inverse, self._radius * turns)


def joints_of(model: ArticulatedModel, used: Sequence[str]) -> NDArray[np.int64]:
    """(K,) indices in a model of joints by their names; a ConfigurationError if one is missing or comes twice."""
    for name in used:
        if used.count(name) > 1:
            raise ConfigurationError(f"joint '{name}' is named twice")
    try:
        return np.array(model.joint_numbers(used), np.int64)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def wheels_of(model: ArticulatedModel, joints: NDArray[np.int64]) -> tuple[Array, Array]:
    """Middles (K, 3) of wheels, m, and unit vectors (K, 2) along which they roll, in the base link's frame.

    The vector of a wheel with a tilted axle is NaN.
    """
    frames = link_frames(model)
    places = [frames[model.joints[index].child] for index in joints]
    axes = axes_of(model, joints)
    level = np.hypot(axes[:, 0], axes[:, 1])
    # A wheel that turns about its axle rolls along axle x up.
    directions = np.stack((axes[:, 1], -axes[:, 0]), 1) / np.where(level > 0.9, level, np.nan)[:, None]
    return np.array([place.position for place in places]).reshape(-1, 3), directions


def axes_of(model: ArticulatedModel, joints: NDArray[np.int64]) -> Array:
    """(K, 3) axes of joints in the base link's frame, with all joints at zero."""
    frames = link_frames(model)
    axes = [product(frames[model.joints[i].child].rotation, model.joints[i].axis) for i in joints]
    return np.array(axes).reshape(-1, 3)
