"""The motion engine of the Nao, all five types."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simspark_ros.players.motion.gait import Footing, Gait, Lean
from simspark_ros.players.motion.interface import (
    Activity,
    BodyReadings,
    Command,
    Foot,
    LookAt,
    MotionStatus,
    Triple,
    Walk,
)
from simspark_ros.players.motion.leg import FootPose, Leg
from simspark_ros.players.motion.servo import JointServo
from simspark_ros.players.motion.settings import MotionSettings
from simspark_ros.players.motion.settling import Settling
from simspark_ros.players.motion.tilt import TiltEstimator
from simspark_ros.robots.description import RobotDescription

CYCLE = 0.02
"""Seconds between two readings in the classic league."""

HEAD_HEIGHT = 0.155
"""From the torso's centre to the camera in the head, m; turning the head hardly moves it (NAO model reference)."""


class NaoMotion:
    """Walks a Nao; see `MotionEngine` for what it promises."""

    def __init__(self, description: RobotDescription, settings: MotionSettings) -> None:
        """Start standing.

        Args:
            description: of any of the five types.
            settings: of all motions.
        """
        model = description.model
        self.joints = tuple(joint.name for joint in model.joints)
        self.status = MotionStatus()
        self._settings = settings
        self._index = {name: index for index, name in enumerate(self.joints)}
        self._left, self._right = Leg.of(model, "l"), Leg.of(model, "r")
        self._height = -self._left.hip[2] + (1.0 - settings.gait.crouch) * self._left.length
        self._tilt = TiltEstimator(settings.tilt_correction)
        self._servo = JointServo(model, settings.servo_gain)
        self._gait = Gait(settings.gait, self._left.hip[1])
        self._readings = BodyReadings(0.0, (0.0,) * len(self.joints))
        self._settling = Settling(settings.settle_time)

    def reset(self) -> None:
        """Forget everything but the parameters."""
        self._tilt = TiltEstimator(self._settings.tilt_correction)
        self._servo.reset()
        self._gait.reset()
        self._settling = Settling(self._settings.settle_time)
        self.status = MotionStatus()

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the joint speeds to send in answer to these readings; see `MotionEngine`."""
        if _finite(readings):
            self._readings = readings
        readings = self._readings
        self._tilt.update(readings.gyro, readings.accelerometer, CYCLE)
        lean = Lean(self._tilt.roll, self._tilt.pitch - self._settings.gait.lean, readings.gyro[0], readings.gyro[1])
        walk = command if isinstance(command, Walk) and self._settling.done else None
        travel = self._gait.update(walk, lean, CYCLE)
        targets = self._settling.targets(readings.angles, self._walking_targets(lean, look), CYCLE)
        self.status = MotionStatus(
            activity=Activity.WALKING if self._gait.walking else Activity.STANDING,
            roll=self._tilt.roll,
            pitch=self._tilt.pitch,
            travel=travel,
        )
        return self._servo.speeds(readings.angles, targets, CYCLE)

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        """Where the camera is; see `MotionEngine`."""
        pan, tilt = angles[self._index["hj1"]], angles[self._index["hj2"]]
        x, y, z = math.cos(tilt) * math.cos(pan), math.cos(tilt) * math.sin(pan), math.sin(tilt)
        cr, sr = math.cos(self.status.roll), math.sin(self.status.roll)
        cp, sp = math.cos(self.status.pitch), math.sin(self.status.pitch)
        y, z = cr * y - sr * z, sr * y + cr * z
        x, z = cp * x + sp * z, cp * z - sp * x
        position = (HEAD_HEIGHT * cr * sp, -HEAD_HEIGHT * sr, self._height + HEAD_HEIGHT * cr * cp)
        return position, math.atan2(y, x), math.asin(min(1.0, max(-1.0, z)))

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        """Where the ball's centre should be for a kick; see `MotionEngine`."""
        side = 1.0 if foot is Foot.LEFT else -1.0
        return 0.16, side * self._left.hip[1]

    def _walking_targets(self, lean: Lean, look: LookAt) -> list[float]:
        """Angles of all joints while walking and standing, rad."""
        targets = [0.0] * len(self.joints)
        targets[self._index["hj1"]], targets[self._index["hj2"]] = look.pan, look.tilt
        for number, degrees in enumerate(self._settings.arm_deg, start=1):
            angle = math.radians(degrees)
            targets[self._index[f"laj{number}"]] = angle
            targets[self._index[f"raj{number}"]] = angle if number == 1 else -angle
        for name, leg, foot in (("llj1", self._left, self._gait.left), ("rlj1", self._right, self._gait.right)):
            first = self._index[name]
            targets[first : first + 6] = leg.angles(self._foot_pose(foot, lean))
        return targets

    def _foot_pose(self, foot: Footing, lean: Lean) -> FootPose:
        """A foot of the walk in the axes of the leaning torso."""
        gait = self._settings.gait
        x, y, z = foot.x + gait.foot_forward, foot.y - self._gait.sway, foot.lift - self._height
        c, s = math.cos(gait.lean), math.sin(gait.lean)
        return FootPose(
            c * x - s * z,
            y,
            s * x + c * z,
            roll=gait.ankle_roll * lean.roll + gait.ankle_roll_rate * lean.roll_rate,
            pitch=-gait.lean + gait.ankle_pitch * lean.pitch + gait.ankle_pitch_rate * lean.pitch_rate,
            yaw=foot.yaw,
        )


def _finite(readings: BodyReadings) -> bool:
    numbers = (*readings.angles, *readings.gyro, *readings.accelerometer, readings.left_force, readings.right_force)
    return all(map(math.isfinite, numbers))
