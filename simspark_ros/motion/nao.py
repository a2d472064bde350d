"""The motion engine of the Nao, all five types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from simspark_ros.motion.body import HumanoidBody
from simspark_ros.motion.footing import TiltError
from simspark_ros.motion.gait import Gait
from simspark_ros.motion.interface import (
    Activity,
    BodyReadings,
    Command,
    Dive,
    Foot,
    Gains,
    Kick,
    LookAt,
    MotionStatus,
    Triple,
    Walk,
)
from simspark_ros.motion.keyframes import Playback, mirrored
from simspark_ros.motion.kick import KickMotion
from simspark_ros.motion.recovery import Recovery
from simspark_ros.motion.servo import JointServo
from simspark_ros.motion.settings import MotionSettings
from simspark_ros.motion.settling import Settling
from simspark_ros.motion.tilt import TiltEstimator
from simspark_ros.robots.description import RobotDescription

CYCLE = 0.02
"""Seconds between two readings in the classic league."""


class NaoMotion:
    """Walks a Nao of any of the five types, lifts it up and kicks; keeps the promises of `MotionEngine`.

    `cycle` is the time between two readings, s.
    """

    def __init__(self, description: RobotDescription, settings: MotionSettings, cycle: float = CYCLE) -> None:
        self._settings, self._cycle = settings, cycle
        self._body = HumanoidBody(description.model, settings)
        self.joints = self._body.joints
        given = settings.gains
        self.gains: Gains = {joint: given.get(joint) or given[joint[1:]] for joint in self.joints if given}
        self._servo = JointServo(description.model)
        self._gait = Gait(settings.gait, self._body.hip_y)
        self.reset()

    def reset(self) -> None:
        """Forget everything but the parameters."""
        self.status = MotionStatus()
        self._readings = BodyReadings(0.0, (0.0,) * len(self.joints))
        self._tilt = TiltEstimator(self._settings.tilt_correction)
        self._recovery = Recovery(self._settings.fall, self.joints, self._body.leg_length)
        self._servo.reset()
        self._executed: type[Command] | None = None
        self._stand_up()

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the joints' speeds, or angles, to send in answer to these readings; see `MotionEngine`."""
        if _finite(readings):
            self._readings = readings
        readings = self._readings
        if readings.up is None:
            self._tilt.update(readings.gyro, readings.accelerometer, self._cycle)
        else:
            self._tilt.know(readings.up)
        if type(command) is not self._executed:
            self._executed = None
        targets = self._move(readings, command)
        self._body.look(targets, look)
        turn = self._cycle * sum(rate * share for rate, share in zip(readings.gyro, self._tilt.up, strict=True))
        travel = replace(self.status.travel, turn=turn)
        self.status = replace(self.status, roll=self._tilt.roll, pitch=self._tilt.pitch, travel=travel)
        if self.gains:
            return self._servo.within(targets)
        on_feet = self.status.activity in (Activity.WALKING, Activity.STANDING)
        gain = self._settings.gait.servo_gain if on_feet else self._settings.servo_gain
        return self._servo.speeds(readings.angles, targets, self._cycle, gain)

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        """Pose of the camera; see `MotionEngine`."""
        pan, tilt = angles[self._body.index["hj1"]], angles[self._body.index["hj2"]]
        x, y, z = math.cos(tilt) * math.cos(pan), math.cos(tilt) * math.sin(pan), math.sin(tilt)
        x, y, z = self._upright(x, y, z)
        ahead, left, up = self._upright(*self._body.camera(pan, tilt))
        return (ahead, left, up + self._body.height), math.atan2(y, x), math.asin(min(1.0, max(-1.0, z)))

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        """Place of the ball's centre for a kick; see `MotionEngine`."""
        kick = self._settings.kick
        side = 1.0 if foot is Foot.LEFT else -1.0
        return kick.ball_forward, side * (self._body.hip_y + self._settings.gait.spread + kick.ball_outward)

    @property
    def is_standing(self) -> bool:
        """Whether the robot stands in the posture from which it walks, with nothing else going on."""
        return self._settling.done and self.status.activity is Activity.STANDING

    @property
    def tries(self) -> int:
        """Number of sequences that were played to get up since the robot last stood for good."""
        return self._recovery.tries

    def _upright(self, x: float, y: float, z: float) -> Triple:
        """From the torso's axes to upright ones with the same heading, by Ry(pitch) Rx(roll)."""
        cr, sr = math.cos(self.status.roll), math.sin(self.status.roll)
        cp, sp = math.cos(self.status.pitch), math.sin(self.status.pitch)
        y, z = cr * y - sr * z, sr * y + cr * z
        return cp * x + sp * z, y, cp * z - sp * x

    def _stand_up(self) -> None:
        """Go to the posture for walking from any posture."""
        self._gait.reset()
        self._settling = Settling(self._settings.settle_time)
        self._kick: KickMotion | None = None
        self._dive: Playback | None = None

    def _move(self, readings: BodyReadings, command: Command) -> list[float]:
        """Wanted angles of all joints (rad); sets the status."""
        if self._dive is not None and not self._dive.done:
            self.status = MotionStatus(Activity.DIVING, fallen=True, may_change=False)
            return self._dive.targets(self._cycle)
        lying = self._recovery.update(readings.angles, self._tilt.up, readings.gyro, self._cycle)
        if lying is not None:
            # Walk, kick and dive end here; a walk starts again once the robot stands.
            self._stand_up()
            self.status = MotionStatus(Activity.GETTING_UP, fallen=True, may_change=False)
            return lying
        return self._settling.targets(readings.angles, self._upright_targets(readings, command), self._cycle)

    def _upright_targets(self, readings: BodyReadings, command: Command) -> list[float]:
        # The torso leans as the gait asked in the cycle before.
        pitch = self._tilt.pitch - self._gait.posture.lean
        tilt = TiltError(self._tilt.roll, pitch, readings.gyro[0], readings.gyro[1])
        ready = self._settling.done
        if ready and not self._gait.walking and self._kick is None and type(command) is not self._executed:
            self._begin(command, readings)
        if self._kick is not None:
            left, right, sway = self._kick.update(self._cycle)
            self.status = MotionStatus(Activity.KICKING, may_change=False)
            if self._kick.done:
                self._kick = None
            return self._body.upright(left, right, replace(self._gait.posture, sway=sway), tilt)
        gait = self._gait
        forces = readings.left_force, readings.right_force
        travel = gait.update(command if isinstance(command, Walk) and ready else None, tilt, self._cycle, forces)
        self.status = MotionStatus(Activity.WALKING if gait.walking else Activity.STANDING, travel=travel)
        return self._body.upright(gait.left, gait.right, gait.posture, tilt)

    def _begin(self, command: Command, readings: BodyReadings) -> None:
        """Start a kick or dive, which is done only once for a command."""
        if isinstance(command, Kick):
            half = self._body.hip_y + self._settings.gait.spread
            self._kick = KickMotion(self._settings.kick, command.foot, command.strength, half)
            self._executed = type(command)
        elif isinstance(command, Dive):
            frames = self._settings.fall.dive
            if command.side is Foot.RIGHT:
                frames = tuple(mirrored(frame) for frame in frames)
            self._dive = Playback(frames, self.joints, readings.angles)
            self._executed = type(command)


def _finite(readings: BodyReadings) -> bool:
    # A sum is finite only if all its numbers are.
    forces = readings.left_force + readings.right_force
    felt = sum(readings.gyro) + sum(readings.accelerometer) + sum(readings.up or ())
    return math.isfinite(sum(readings.angles) + felt + forces)
