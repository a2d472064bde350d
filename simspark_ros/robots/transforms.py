"""Rigid transforms, as URDF writes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.model import ZERO, Vector

Array = NDArray[np.float64]

_GIMBAL_LOCK = 1.0 - 1e-12
"""Beyond this sine of the pitch, roll and yaw turn about the same axis."""


def rotation_from_rpy(rpy: Vector) -> Array:
    """Rotation (3, 3) by roll about x, then pitch about y, then yaw about z, fixed axes, rad (URDF's convention)."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy).tolist(), np.cos(rpy).tolist()
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: Array) -> Vector:
    """Roll, pitch, yaw of a rotation (3, 3), rad; the inverse of `rotation_from_rpy`, with yaw 0 in gimbal lock."""
    m = rotation.tolist()
    if abs(m[2][0]) > _GIMBAL_LOCK:
        pitch = math.copysign(math.pi / 2, -m[2][0])
        return (math.atan2(-m[1][2], m[1][1]), pitch, 0.0)
    return (math.atan2(m[2][1], m[2][2]), math.asin(-m[2][0]) + 0.0, math.atan2(m[1][0], m[0][0]))


def rotation_about(axis: Vector, angle: float) -> Array:
    """Rotation (3, 3), right-handed about a unit vector, rad (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Array = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    return rotation


@dataclass(frozen=True)
class Transform:
    """Pose of a frame in its parent's frame.

    Attributes:
        rotation: (3, 3), columns are the frame's axes in the parent's.
        position: (3,) origin of the frame in the parent's, m.
    """

    rotation: Array = field(default_factory=lambda: np.eye(3))
    position: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def of(cls, position: Vector = ZERO, rpy: Vector = ZERO) -> Transform:
        """From a URDF origin: m, rad."""
        return cls(rotation_from_rpy(rpy), np.array(position, dtype=float))

    def __matmul__(self, inner: Transform) -> Transform:
        """Pose of a frame known in this one, in this one's parent."""
        return Transform(self.rotation @ inner.rotation, self.apply(inner.position))

    def apply(self, point: Array) -> Array:
        """A point (3,) of this frame, in the parent's."""
        moved: Array = self.position + self.rotation @ point
        return moved

    def inverse(self) -> Transform:
        """Pose of the parent in this frame."""
        return Transform(self.rotation.T, -self.rotation.T @ self.position)

    def vector(self) -> Vector:
        """The position as plain numbers."""
        x, y, z = self.position.tolist()
        return (x, y, z)

    def rpy(self) -> Vector:
        """The rotation as roll, pitch, yaw, rad."""
        return rpy_from_rotation(self.rotation)
