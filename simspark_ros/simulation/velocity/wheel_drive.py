"""A robot on two rows of driven wheels: as `Locomotion` moves it, and where it has come to by their turns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.effectors.wheels import WheelParameters
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.players.motion.interface import Triple, Walk
from simspark_ros.robots.description import RobotDescription

KIND = "wheels"


class WheelDrive:
    """Speeds of the wheels for a velocity of the robot.

    Attributes:
        joints: (K,) indices in the robot's model of the wheels.

    Raises:
        ConfigurationError: the robot has no such effector, or no such joints.
    """

    is_standing = True

    def __init__(self, description: RobotDescription) -> None:
        spec = next(spec for spec in description.effectors if spec.kind == KIND)
        parameters = build(WheelParameters, dict(spec.parameters), description.place(spec))
        names = [joint.name for joint in description.model.joints]
        for name in (*parameters.left, *parameters.right):
            if name not in names:
                known = ", ".join(names)
                raise ConfigurationError(f"{description.place(spec)}: there is no joint '{name}'; there are: {known}")
        self.joints: NDArray[np.int64] = np.array([names.index(n) for n in (*parameters.left, *parameters.right)])
        self._half = len(parameters.left)
        self._sides = np.array([-1.0] * len(parameters.left) + [1.0] * len(parameters.right))
        self._radius, self._half_track = parameters.radius, parameters.track / 2.0

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` for a velocity, rad/s; as `Walker.update`."""
        if command is None:
            return np.zeros(len(self.joints))
        return (command.forward + self._sides * self._half_track * command.turn) / self._radius

    def motion(self, turns: Array) -> tuple[float, float]:
        """How far the robot comes forward, m, and turns, rad, by turns (K,) of `joints`, rad; without slip."""
        left, right = (self._radius * float(row.mean()) for row in (turns[: self._half], turns[self._half :]))
        return (left + right) / 2.0, (right - left) / (2.0 * self._half_track)


class WheelOdometer:
    """Adds up the turns of the wheels on flat ground; starts at the origin. Slip is not noticed.

    The robot turns about the middle between its wheels.

    Attributes:
        pose: of the base link's frame in the frame in which it started, m.
        linear, angular: its velocity in its own axes, m/s and rad/s.
    """

    def __init__(self, description: RobotDescription) -> None:
        model = description.model
        self._drive = WheelDrive(description)
        frames = link_frames(model)
        wheels = [frames[model.joints[index].child].position for index in self._drive.joints]
        self._middle: Array = np.mean(wheels, axis=0) * (1.0, 1.0, 0.0)
        self._yaw = 0.0
        self._before: Array | None = None
        self.pose = Transform(position=np.array([0.0, 0.0, description.spawn_height - model.base.centre[2]]))
        self.linear: Array = np.zeros(3)
        self.angular: Array = np.zeros(3)

    def pause(self) -> None:
        """Go on from here although the robot may have moved: the readings between the last and the next are missing."""
        self._before = None

    def update(self, angles: Array, seconds: float) -> None:
        """Take in the angles (J,) of all joints, rad or m, at the end of a cycle of this length, s."""
        angles = angles[self._drive.joints]
        forward, turn = self._drive.motion(angles - (angles if self._before is None else self._before))
        self._before = angles
        middle = self.pose.apply(self._middle)
        # The way is an arc: its chord has the mean direction.
        chord = forward * (math.sin(turn / 2.0) / (turn / 2.0) if turn else 1.0)
        heading = self._yaw + turn / 2.0
        self._yaw += turn
        rotation = rotation_from_rpy((0.0, 0.0, self._yaw))
        middle += chord * np.array([math.cos(heading), math.sin(heading), 0.0])
        self.pose = Transform(rotation, middle - rotation @ self._middle)
        self.angular = np.array([0.0, 0.0, turn / seconds])
        self.linear = np.array([forward / seconds, 0.0, 0.0]) - np.cross(self.angular, self._middle)
