"""The motions of a player on wheels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspark_ros.motion.interface import (
    Activity,
    BodyReadings,
    Command,
    Foot,
    Gains,
    LookAt,
    MotionStatus,
    Shoot,
    Travel,
    Triple,
    Walk,
)
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotDescription, RobotError

CAMERA = "omni_camera"
"""Frame of the camera that looks all around."""

KICKER = "kicker"
"""The effector with the place of the ball for a shot, parameter `place`."""


class WheeledMotion:
    """Drives a robot on wheels with a camera that looks all around; see `MotionEngine`.

    Args:
        description: description of the robot, with the effectors `wheels` and `kicker`, and a frame `omni_camera`.
        cycle: time between two readings, s.

    Raises:
        ConfigurationError: the wheels cannot make the robot move.
        RobotError: the robot has no such frame or kicker.
    """

    def __init__(self, description: RobotDescription, cycle: float) -> None:
        model = description.model
        if not any(frame.name == CAMERA for frame in model.frames):
            raise RobotError(f"{description.file}: players on wheels need a frame '{CAMERA}'")
        self._drive = WheelDrive.of(description, WHEELS, cycle)
        self.joints = tuple(model.joints[index].name for index in self._drive.joints)
        self.status = MotionStatus()
        self.gains: Gains = {}
        ground = description.spawn_height - model.base.centre[2]
        x, y, z = link_frames(model)[CAMERA].position.tolist()
        self._camera: Triple = (x, y, z + ground)
        places = [spec.parameters["place"] for spec in description.effectors if spec.kind == KICKER]
        if not places:
            raise RobotError(f"{description.file}: players on wheels need an effector {KICKER}")
        self._spot: tuple[float, float] = tuple(places[0])
        self._everything = np.zeros(len(model.joints))
        self._angles: Array | None = None
        self._wanted = Walk()

    def reset(self) -> None:
        """Forget everything but the parameters."""
        self._angles, self._wanted = None, Walk()

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the wheels' speeds, rad/s; `Shoot` lets the robot move on, other commands than `Walk` stop it."""
        if not isinstance(command, Shoot):
            self._wanted = command if isinstance(command, Walk) else Walk()
        travel = self._travel(np.array(readings.angles))
        speeds = self._drive.update(
            readings.time, self._everything, readings.gyro, readings.accelerometer, self._wanted
        )
        activity = Activity.STANDING if self._drive.is_standing else Activity.WALKING
        self.status = MotionStatus(activity, travel=travel)
        values: list[float] = np.asarray(speeds, float).tolist()
        return values

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        """Pose of the camera: position (m), and no pan or tilt."""
        return self._camera, 0.0, 0.0

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        """Place of the ball's centre for a shot, m."""
        return self._spot

    def _travel(self, angles: Array) -> Travel:
        """Movement by the turns of the wheels since the last readings."""
        before, self._angles = self._angles, angles
        # Readings are angles of less than half a turn.
        turns = np.remainder(angles - (angles if before is None else before) + np.pi, 2.0 * np.pi) - np.pi
        forward, left, turn = np.asarray(self._drive.motion(turns), float).tolist()
        return Travel(forward, left, turn)
