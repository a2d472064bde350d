"""Rigid transforms, as URDF writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.euler import euler2mat, mat2euler

from simspark_ros.physics.model import ZERO, Vector

Array = NDArray[np.float64]


def product(a: ArrayLike, b: ArrayLike) -> Array:
    """`a @ b` of vectors, matrices or stacks of matrices, to the same bits on every processor.

    OpenBLAS, behind `@`, chooses by processor how it sums. So all that moves robots or the ball is multiplied here.
    """
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == 1:
        total: Array = np.add.reduce(a * b, -1)
    else:
        total = np.einsum("...j,...jk->...k" if a.ndim == 1 else "...ij,...jk->...ik", a, b)
    return total


def on_circle(angles: Iterable[float]) -> Array:
    """Points (n, 2) of the unit circle at angles, rad; numpy's sines, too, differ by processor in their last digits."""
    return np.array([(math.cos(angle), math.sin(angle)) for angle in angles]).reshape(-1, 2)


def rotation_from_rpy(rpy: Vector) -> Array:
    """Rotation (3, 3) by roll about x, then pitch about y, then yaw about z, fixed axes, rad (URDF's convention)."""
    return np.asarray(euler2mat(*rpy, axes="sxyz"), np.float64)


def rpy_from_rotation(rotation: Array) -> Vector:
    """Roll, pitch, yaw of a rotation (3, 3), rad; the inverse of `rotation_from_rpy`, with yaw 0 in gimbal lock."""
    roll, pitch, yaw = mat2euler(rotation, axes="sxyz")
    return (float(roll), float(pitch), float(yaw))


def way_between(before: Array, after: Array) -> Vector:
    """The way between two poses (3,) x, y, heading: forward, left, m, in the axes in its middle, and turn, rad."""
    dx, dy, turn = (after - before).tolist()
    turn = math.remainder(turn, 2.0 * math.pi)
    middle = float(before[2]) + turn / 2.0
    c, s = math.cos(middle), math.sin(middle)
    return c * dx + s * dy, c * dy - s * dx, turn


def rotation_about(axis: Vector, angle: float) -> Array:
    """Rotation (3, 3), right-handed about a unit vector, rad (Rodrigues' formula)."""
    # Not transforms3d's axangle2mat: a quarter turn is exact here, and robots are created with one.
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Array = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * product(cross, cross)
    return rotation


@dataclass(frozen=True)
class Transform:
    """Pose of a frame in its parent's frame.

    Attributes:
        rotation: (3, 3) rotation to the parent; the columns are the frame's axes in the parent's.
        position: (3,) origin of the frame in the parent's, m.
    """

    rotation: Array = field(default_factory=lambda: np.eye(3))
    position: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def of(cls, position: Vector = ZERO, rpy: Vector = ZERO) -> Transform:
        """The transform of a URDF origin: m, rad."""
        return cls(rotation_from_rpy(rpy), np.array(position, dtype=float))

    def __matmul__(self, inner: Transform) -> Transform:
        """Pose in this frame's parent of a frame whose pose in this frame is `inner`."""
        return Transform(product(self.rotation, inner.rotation), self.apply(inner.position))

    def apply(self, point: Array) -> Array:
        """A point (3,) of this frame in the parent's frame."""
        return self.position + product(self.rotation, point)

    def inverse(self) -> Transform:
        """Pose of the parent in this frame."""
        return Transform(self.rotation.T, -product(self.position, self.rotation))

    def vector(self) -> Vector:
        """The position as plain numbers."""
        x, y, z = self.position.tolist()
        return (x, y, z)

    def rpy(self) -> Vector:
        """The rotation as roll, pitch, yaw, rad."""
        return rpy_from_rotation(self.rotation)
