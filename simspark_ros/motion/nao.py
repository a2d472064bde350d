"""The motion engine of the Nao, all five types: walking, kicks, falls, getting up, and the way to any posture."""

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
from simspark_ros.motion.keyframes import Keyframe, Playback, mirrored
from simspark_ros.motion.kick import KickMotion
from simspark_ros.motion.settings import FallSettings, MotionSettings
from simspark_ros.motion.tilt import TiltEstimator
from simspark_ros.physics.model import ArticulatedModel
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
        x, y, z = self._upright(math.cos(tilt) * math.cos(pan), math.cos(tilt) * math.sin(pan), math.sin(tilt))
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
            return self._body.upright(left, right, self._gait.posture._replace(sway=sway), tilt)
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


STOP_MARGIN = 0.02
"""Margin of targets from a joint's stops, rad: at the stop itself commands are ignored (user manual, "HingeJoint
Effector"), and motors overshoot a little."""


class JointServo:
    """Aims at the angle one cycle ahead, as commands show two cycles after the readings that they answer.

    The reading is first carried forward by the last commanded speed, which is on its way; then the motor gets the speed
    that would take the joint to its target in one cycle.
    """

    def __init__(self, model: ArticulatedModel) -> None:
        self._limits = [
            (joint.lower + STOP_MARGIN, joint.upper - STOP_MARGIN, joint.max_velocity) for joint in model.joints
        ]
        self._last = [0.0] * len(model.joints)

    def reset(self) -> None:
        """Forget the last command."""
        self._last = [0.0] * len(self._last)

    def within(self, targets: Sequence[float]) -> list[float]:
        """The targets (rad), kept from the joints' stops."""
        return [min(max(target, lower), upper) for target, (lower, upper, _) in zip(targets, self._limits, strict=True)]

    def speeds(self, angles: Sequence[float], targets: Sequence[float], seconds: float, gain: float) -> list[float]:
        """Speeds (rad/s) toward the targets (rad) that cover `gain` of the way in a cycle of that length, s."""
        speeds = []
        for angle, target, last, (lower, upper, limit) in zip(angles, targets, self._last, self._limits, strict=True):
            wanted = lower if target < lower else upper if target > upper else target
            speed = gain * (wanted - (angle + last * seconds)) / seconds
            speeds.append(-limit if speed < -limit else limit if speed > limit else speed)
        self._last = speeds
        return speeds


class Settling:
    """Leads all joints to their targets within a time, without a jump of position or speed."""

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._passed = 0.0
        self._start: list[float] | None = None

    @property
    def done(self) -> bool:
        """Whether the joints have reached their targets."""
        return self._passed >= self._duration

    def targets(self, angles: Sequence[float], wanted: Sequence[float], seconds: float) -> list[float]:
        """Targets (rad) after a cycle (s), on the way from the first angles to the wanted ones, which may change."""
        if self.done:
            return list(wanted)
        if self._start is None:
            self._start = list(angles)
        self._passed += seconds
        share = (1.0 - math.cos(math.pi * min(1.0, self._passed / self._duration))) / 2.0
        return [start + share * (end - start) for start, end in zip(self._start, wanted, strict=True)]


ON_A_SIDE = 0.5
"""Share of gravity along the torso's forward axis below which the robot lies on a side rather than chest or back."""

STEADY = 1.0
"""Time upright after which the robot has got up for good, s."""


class Recovery:
    """Notices a fall, waits until the robot lies, chooses a sequence and plays it until the robot stands.

    Attributes:
        tries: sequences played since the robot last stood for good.
    """

    def __init__(self, settings: FallSettings, joints: Sequence[str], leg_length: float) -> None:
        self._settings = settings
        self._joints = joints
        has_long_legs = leg_length >= settings.long_legs
        self._front = settings.front_long_legs if has_long_legs else settings.front
        self._fallen = self._front if has_long_legs else (*settings.chest, *self._front)
        self._upright = math.cos(math.radians(settings.falling_deg))
        self.tries = 0
        self._waited = 0.0
        self._upright_for = 0.0
        self._last: tuple[Keyframe, ...] | None = None
        self._playback: Playback | None = None

    @property
    def playing(self) -> bool:
        """Whether a sequence is being played."""
        return self._playback is not None

    def update(self, angles: Sequence[float], up: Triple, gyro: Triple, seconds: float) -> list[float] | None:
        """Advance by a cycle of that length; `up` is the unit vector against gravity in the torso's axes.

        Returns:
            Targets of all joints, rad, or None if the robot is upright.
        """
        if self._playback is not None:
            targets = self._playback.targets(seconds)
            if self._playback.done:
                self._playback = None
            return targets
        if up[2] > self._upright:
            self._waited = 0.0
            self._upright_for += seconds
            if self._upright_for >= STEADY:
                self.tries = 0
            return None
        self._upright_for = 0.0
        self._waited += seconds
        turning = math.sqrt(sum(rate * rate for rate in gyro)) > self._settings.lying_rate
        if turning and self._waited < self._settings.patience:
            return list(angles)
        self._waited = 0.0
        paces = self._settings.paces
        self._playback = Playback(self._sequence(up), self._joints, angles, paces[self.tries % len(paces)])
        self.tries += 1
        return self._playback.targets(seconds)

    def _sequence(self, up: Triple) -> tuple[Keyframe, ...]:
        settings, last = self._settings, self._last
        on_chest, on_a_side = up[0] < 0.0, abs(up[0]) < ON_A_SIDE
        if on_a_side and settings.side and last is not settings.side:
            self._last = settings.side
            return settings.side if up[1] < 0.0 else tuple(mirrored(frame) for frame in settings.side)
        if on_a_side and self.tries % 2 == 1:
            # The first try did not help.
            on_chest = not on_chest
        if not on_chest:
            self._last = settings.back
            return settings.back
        self._last = self._front
        # After a roll from the back or a side the limbs lie straight already.
        return self._front if last in (settings.back, settings.side) else self._fallen
