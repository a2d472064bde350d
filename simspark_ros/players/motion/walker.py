"""The team's gait for any robot with the Nao's body, whatever its joints are called."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Array, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint
from simspark_ros.players.motion.interface import BodyReadings, LookAt, Stand, Triple, Walk
from simspark_ros.players.motion.nao import NaoMotion
from simspark_ros.players.motion.settings import MotionSettings, load_motion_settings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError

BODY = "nao"
"""The robot that the gait was made for."""

_NECK = ("hj1", "hj2")
_ANKLES = ("l_ankle", "l_sole", "r_ankle", "r_sole")
_PARALLEL = 0.999
"""Cosine of the angle between two axes that are the same."""


class Walker:
    """Walks a robot with the Nao's body, and gets it up where it falls; head and toes are left alone.

    `cycle` is the time between two readings, s.

    Attributes:
        joints: (K,) indices in the robot's model of the joints that it moves.

    Raises:
        RobotError: the robot has another body.
    """

    def __init__(self, description: RobotDescription, cycle: float) -> None:
        joints, self._index, self._signs = classic_joints(description)
        model = replace(description.model, joints=joints)
        self._motion = NaoMotion(replace(description, model=model), _settings(), cycle)
        self._moved = np.array([joint.name not in _NECK for joint in joints])
        self.joints: NDArray[np.int64] = self._index[self._moved]

    @property
    def is_standing(self) -> bool:
        """Whether the robot stands still, ready to walk."""
        return self._motion.is_standing

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds (K,) of `joints` that answer the readings of a cycle, rad/s; without a command the robot stands.

        Args:
            time: of the simulation, s.
            angles: (J,) of all joints of the robot's model, rad.
            gyro: angular velocity of the torso in its axes, rad/s.
            accelerometer: specific force at the torso in its axes, m/s2.
            command: wanted velocity.
        """
        readings = BodyReadings(time, (self._signs * angles[self._index]).tolist(), gyro, accelerometer)
        speeds = self._motion.update(readings, command or Stand(), LookAt())
        signed: Array = (self._signs * speeds)[self._moved]
        return signed


def classic_joints(description: RobotDescription) -> tuple[tuple[Joint, ...], NDArray[np.int64], Array]:
    """The robot's joints as the gait knows them: those of `nao` by name, sign and order, M in number.

    Joints are matched by the links that they move; one whose axis points the other way counts the other way.

    Returns:
        The joints, their indices (M,) in the robot's model, and 1 or -1 (M,) for their directions there.

    Raises:
        RobotError: the robot has another body.
    """
    by_link = {joint.child: (index, joint) for index, joint in enumerate(description.model.joints)}
    joints, indices, signs = [], [], []
    for wanted in _body().joints:
        index, joint = by_link.get(wanted.child, (-1, None))
        cosine = float(_axis(wanted) @ _axis(joint)) if joint else 0.0
        if joint is None or abs(cosine) < _PARALLEL:
            raise _other_body(description, f"joint moves a link '{wanted.child}' about the axis that it has")
        lower, upper = (joint.lower, joint.upper) if cosine > 0.0 else (-joint.upper, -joint.lower)
        joints.append(replace(joint, name=wanted.name, lower=lower, upper=upper))
        indices.append(index)
        signs.append(1.0 if cosine > 0.0 else -1.0)
    frames = {frame.name for frame in description.model.frames}
    for name in _ANKLES:
        if name not in frames:
            raise _other_body(description, f"frame is named '{name}' as")
    return tuple(joints), np.array(indices, np.int64), np.array(signs)


def _other_body(description: RobotDescription, lack: str) -> RobotError:
    text = f"effector walk: no {lack} in '{BODY}'; the gait needs that body, so leave the effector out"
    return RobotError(f"{description.file}: {text}")


def _axis(joint: Joint) -> Array:
    """Of a joint in the axes of its parent."""
    return rotation_from_rpy(joint.rpy) @ joint.axis


@cache
def _body() -> ArticulatedModel:
    return load_robot(BODY).model


@cache
def _settings() -> MotionSettings:
    return load_motion_settings()
