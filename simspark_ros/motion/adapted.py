"""The team's motions, or its gait alone, for any robot with the Nao's body, whatever its joints are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from simspark_ros.motion.interface import BodyReadings, Command, Foot, Gains, LookAt, MotionStatus, Stand, Triple, Walk
from simspark_ros.motion.nao import CYCLE, NaoMotion
from simspark_ros.motion.settings import MotionSettings, load_motion_settings
from simspark_ros.physics.geometry.transforms import Array, product, rotation_from_rpy
from simspark_ros.physics.model import ZERO, ArticulatedModel, Joint
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError

BODY = "nao"
"""Robot that the motions were made for."""

_FIRST = ("llj1", "rlj1")
"""Joints of the hips with axes that may be upright or tilted sideways."""

_SPARE = ("laj3", "raj3", "laj4", "raj4")
"""Joints of the arms that a robot need not have."""

_ANKLES = ("l_ankle", "l_sole", "r_ankle", "r_sole")
_PARALLEL = 0.999
"""Least cosine of the angle between two axes that count as the same."""


class AdaptedMotion:
    """The motions of a Nao on a robot's own joints; see `MotionEngine`. `cycle` is the time between two readings, s.

    Attributes:
        status: status of the last update.
        joints: the robot's own names of the moved joints.
        index: (K,) indices of these joints in the robot's model.
        signs: (K,) 1, or -1 where an axis points the other way than the Nao's.
        gains: stiffness and damping by joint of motors that follow angles, see `MotionSettings`.

    Raises:
        RobotError: the robot has another body.
    """

    def __init__(self, description: RobotDescription, settings: MotionSettings, cycle: float = CYCLE) -> None:
        named, self.index, self.signs = classic_joints(description, settings.joints)
        self.joints = tuple(description.model.joints[index].name for index in self.index)
        self.motion = NaoMotion(replace(description, model=replace(description.model, joints=named)), settings, cycle)
        self.status: MotionStatus = self.motion.status
        self._signs = self.signs.tolist()
        known = zip(self.joints, self.motion.joints, strict=True)
        self.gains: Gains = {own: self.motion.gains[name] for own, name in known if self.motion.gains}

    def reset(self) -> None:
        """Forget everything but the parameters."""
        self.motion.reset()
        self.status = self.motion.status

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the joints' speeds, or angles, to send in answer to these readings; see `MotionEngine`."""
        speeds = self.motion.update(readings._replace(angles=self._turned(readings.angles)), command, look)
        self.status = self.motion.status
        return self._turned(speeds)

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        """Pose of the camera; see `MotionEngine`."""
        return self.motion.camera_pose(self._turned(angles))

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        """Place of the ball's centre for a kick; see `MotionEngine`."""
        return self.motion.kick_spot(foot)

    @property
    def tries(self) -> int:
        """Number of sequences that were played to get up since the robot last stood for good."""
        return self.motion.tries

    def _turned(self, values: Sequence[float]) -> list[float]:
        """Angles or speeds counted the Nao's way instead of the robot's, or the other way round."""
        return [sign * value for sign, value in zip(self._signs, values, strict=True)]


def classic_joints(
    description: RobotDescription, own: Mapping[str, str] = MappingProxyType({})
) -> tuple[tuple[Joint, ...], NDArray[np.int64], Array]:
    """The robot's M joints as the gait knows them, with the names and signs of `nao`.

    Joints are named by `own`, see `MotionSettings.joints`, or else matched by the links that they move; then a joint
    with an opposite axis gets the opposite sign.

    Returns:
        The joints, their indices (M,) in the robot's model, and 1 or -1 (M,) for their directions there.

    Raises:
        RobotError: the robot has another body.
    """
    if own:
        return _named_joints(description, own)
    by_link = {joint.child: (index, joint) for index, joint in enumerate(description.model.joints)}
    joints, indices, signs = [], [], []
    for wanted in _body().joints:
        index, joint = by_link.get(wanted.child, (-1, None))
        if joint is None and wanted.name in _SPARE:
            continue
        cosine = _cosine(wanted, joint) if joint else 0.0
        if joint is None or abs(cosine) < _PARALLEL:
            raise _other_body(description, f"joint that moves link '{wanted.child}' about the same axis as")
        if cosine < 0.0:
            joint = _reversed(joint)
        joints.append(replace(joint, name=wanted.name))
        indices.append(index)
        signs.append(1.0 if cosine > 0.0 else -1.0)
    frames = {frame.name for frame in description.model.frames}
    for name in _ANKLES:
        if name not in frames:
            raise _other_body(description, f"frame '{name}' as")
    return tuple(joints), np.array(indices, np.int64), np.array(signs)


def _named_joints(
    description: RobotDescription, own: Mapping[str, str]
) -> tuple[tuple[Joint, ...], NDArray[np.int64], Array]:
    by_name = {joint.name: (index, joint) for index, joint in enumerate(description.model.joints)}
    joints, indices, signs = [], [], []
    for name, wanted in own.items():
        is_reversed = wanted.startswith("-")
        index, joint = by_name.get(wanted.removeprefix("-"), (-1, None))
        if joint is None:
            raise _other_body(description, f"joint '{wanted.removeprefix('-')}' as")
        joints.append(replace(_reversed(joint) if is_reversed else joint, name=name))
        indices.append(index)
        signs.append(-1.0 if is_reversed else 1.0)
    return tuple(joints), np.array(indices, np.int64), np.array(signs)


def _reversed(joint: Joint) -> Joint:
    x, y, z = joint.axis
    return replace(joint, axis=(-x, -y, -z), lower=-joint.upper, upper=-joint.lower)


def _other_body(description: RobotDescription, lack: str) -> RobotError:
    text = f"effector walk: the robot has no {lack} in '{BODY}', which the gait needs; leave the effector out"
    return RobotError(f"{description.file}: {text}")


def _cosine(wanted: Joint, joint: Joint) -> float:
    """Cosine of the angle between two axes; axes of the hips' first joints count as the same, however tilted."""
    if wanted.name not in _FIRST:
        return float(product(_axis(wanted), _axis(joint)))
    return float(np.copysign(np.hypot(*_axis(joint)[1:]), _axis(joint)[2] * _axis(wanted)[2]))


def _axis(joint: Joint) -> Array:
    """Axis of a joint in the axes of its parent."""
    return np.array(joint.axis) if joint.rpy == ZERO else product(rotation_from_rpy(joint.rpy), joint.axis)


@cache
def _body() -> ArticulatedModel:
    return load_robot(BODY).model


class Walker:
    """Walks a robot with the Nao's body, and gets it up after a fall; head and toes are left alone.

    `cycle` is the time between two readings, s.

    Attributes:
        joints: (K,) indices in the robot's model of the joints that it moves.

    Raises:
        RobotError: the robot has another body.
    """

    def __init__(self, description: RobotDescription, cycle: float) -> None:
        self._motion = AdaptedMotion(description, _settings(description.name), cycle)
        # The neck comes first.
        self._moved = np.arange(len(self._motion.joints)) > 1
        self.joints: NDArray[np.int64] = self._motion.index[self._moved]

    @property
    def is_standing(self) -> bool:
        """Whether the robot stands still, ready to walk."""
        return self._motion.motion.is_standing

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` that answer the readings of a cycle, rad/s; without a command the robot stands.

        Args:
            time: simulated time, s.
            angles: (J,) angles of all joints of the robot's model, rad.
            gyro: angular velocity of the torso in its axes, rad/s.
            accelerometer: specific force at the torso in its axes, m/s2.
            command: wanted velocity.
        """
        readings = BodyReadings(time, angles[self._motion.index].tolist(), gyro, accelerometer)
        speeds = np.array(self._motion.update(readings, command or Stand(), LookAt()))
        return speeds[self._moved]


@cache
def _settings(robot: str) -> MotionSettings:
    return load_motion_settings(robot, calm=True)
