"""Values of the simulation into the units, frames and fields of ROS messages, and back. Pure functions."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import Vector

MAP, ODOM = "map", "odom"
"""Frames of REP-105. The world of the simulator is `map`."""

_NANOSECONDS = 1_000_000_000


def set_stamp(stamp: Any, time: float) -> None:
    """Write a simulated time, s, into a builtin_interfaces/Time."""
    stamp.sec, stamp.nanosec = divmod(round(time * _NANOSECONDS), _NANOSECONDS)


def set_xyz(message: Any, values: Sequence[float]) -> None:
    """Write three numbers into a Point or Vector3."""
    message.x, message.y, message.z = values


def set_quaternion(message: Any, values: Sequence[float]) -> None:
    """Write x, y, z, w into a Quaternion."""
    message.x, message.y, message.z, message.w = values


def covariance(deviation: float) -> list[float]:
    """Row-major 3x3 covariance of a sensor with equal, independent noise on each axis.

    Without noise all elements are 0, which REP-145 reads as "unknown".

    Args:
        deviation: standard deviation of each axis.
    """
    variance = deviation * deviation
    return [variance, 0.0, 0.0, 0.0, variance, 0.0, 0.0, 0.0, variance]


def wrench_at_origin(point: Array, force: Array) -> Array:
    """Torque about a link's origin of a force that acts at a point, all in the link's axes.

    Args:
        point: (3,) m.
        force: (3,) N.

    Returns:
        (3,) N m.
    """
    (px, py, pz), (fx, fy, fz) = point.tolist(), force.tolist()
    return np.array([py * fz - pz * fy, pz * fx - px * fz, px * fy - py * fx])


@dataclass(frozen=True)
class BaseMotion:
    """Poses and velocities of the base frames of N robots.

    Attributes:
        position: (N, 3) of the frame's origin in the world, m.
        quaternion: (N, 4) frame to world, x, y, z, w.
        linear: (N, 3) velocity of the frame's origin, in its own axes, m/s.
        angular: (N, 3) angular velocity, in its own axes, rad/s.
    """

    position: Array
    quaternion: Array
    linear: Array
    angular: Array


def base_motion(state: EngineState, offset: Array, turn: Array) -> BaseMotion:
    """Where the base frames of all robots are, and how they move.

    Args:
        state: of the engine: poses and velocities of the base links' centres of mass.
        offset: (N, 3) of each base frame from that centre, in the base link's axes, m.
        turn: (N, 3, 3) base frame to base link.
    """
    arm = np.einsum("nij,nj->ni", state.rotation, offset)
    rotation = state.rotation @ turn
    velocity = state.linear_velocity + np.cross(state.angular_velocity, arm)
    return BaseMotion(
        position=state.position + arm,
        quaternion=quaternions_from_rotations(rotation),
        linear=np.einsum("nji,nj->ni", rotation, velocity),
        angular=np.einsum("nji,nj->ni", rotation, state.angular_velocity),
    )


@dataclass(frozen=True)
class TreeJoint:
    """One joint of a URDF document as a transform.

    Attributes:
        joint: name, empty for a fixed joint.
        parent, child: frames.
        translation: of the child seen from its parent at position 0, m.
        quaternion: likewise, x, y, z, w.
        axis: unit vector in the child's frame.
        slides: whether the joint moves along its axis instead of about it.
    """

    joint: str
    parent: str
    child: str
    translation: Vector
    quaternion: tuple[float, float, float, float]
    axis: Vector = (1.0, 0.0, 0.0)
    slides: bool = False


def tree_joints(urdf: str) -> tuple[TreeJoint, ...]:
    """All joints of a URDF document in its order, so that transforms name the frames robot_state_publisher names."""
    return tuple(_tree_joint(element) for element in ET.fromstring(urdf).findall("joint"))


def _tree_joint(element: ET.Element) -> TreeJoint:
    origin, axis = element.find("origin"), element.find("axis")
    rotation = rotation_from_rpy(_vector(origin, "rpy"))
    x, y, z, w = quaternions_from_rotations(rotation[None])[0].tolist()
    direction = _vector(axis, "xyz") if axis is not None else (1.0, 0.0, 0.0)
    length = math.hypot(*direction) or 1.0
    kind = element.get("type", "fixed")
    return TreeJoint(
        joint="" if kind == "fixed" else element.get("name", ""),
        parent=_name(element.find("parent")),
        child=_name(element.find("child")),
        translation=_vector(origin, "xyz"),
        quaternion=(x, y, z, w),
        axis=(direction[0] / length, direction[1] / length, direction[2] / length),
        slides=kind == "prismatic",
    )


def _vector(element: ET.Element | None, attribute: str) -> Vector:
    x, y, z = map(float, (element.get(attribute, "0 0 0") if element is not None else "0 0 0").split())
    return (x, y, z)


def _name(element: ET.Element | None) -> str:
    return element.get("link", "") if element is not None else ""


class MovingFrames:
    """Transforms of the movable joints of one robot, for any joint positions."""

    def __init__(self, joints: Sequence[TreeJoint], index_of: dict[str, int]) -> None:
        """Prepare.

        Args:
            joints: of the document; fixed ones are left out.
            index_of: joint name -> index in the arrays of positions.
        """
        self.joints = tuple(joint for joint in joints if joint.joint in index_of)
        self._index = np.array([index_of[joint.joint] for joint in self.joints], np.int64)
        self._origin = np.array([joint.quaternion for joint in self.joints]).reshape(-1, 4)
        self._translation = np.array([joint.translation for joint in self.joints]).reshape(-1, 3)
        self._axis = np.array([joint.axis for joint in self.joints]).reshape(-1, 3)
        self._slides = np.array([joint.slides for joint in self.joints], bool)

    def at(self, positions: Array) -> tuple[Array, Array]:
        """Translations (M, 3), m, and quaternions (M, 4) of children in their parents. positions: (J,) rad or m."""
        position = positions.take(self._index)
        angle = np.where(self._slides, 0.0, position) / 2
        turn = np.empty((len(angle), 4))
        turn[:, :3] = self._axis * np.sin(angle)[:, None]
        turn[:, 3] = np.cos(angle)
        translation = self._translation
        if self._slides.any():
            along = _rotate(self._origin, self._axis) * np.where(self._slides, position, 0.0)[:, None]
            translation = translation + along
        return translation, _product(self._origin, turn)


def _product(a: Array, b: Array) -> Array:
    """Hamilton products (M, 4) of quaternions given as x, y, z, w."""
    product = np.empty_like(a)
    product[:, :3] = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    product[:, 3] = a[:, 3] * b[:, 3] - np.einsum("mi,mi->m", a[:, :3], b[:, :3])
    return product


def _rotate(quaternion: Array, vector: Array) -> Array:
    """Vectors (M, 3) turned by unit quaternions (M, 4)."""
    twice = 2 * np.cross(quaternion[:, :3], vector)
    turned: Array = vector + quaternion[:, 3:] * twice + np.cross(quaternion[:, :3], twice)
    return turned
