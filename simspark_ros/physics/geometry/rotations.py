"""Rotations of many bodies at once (transforms3d does one at a time)."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.physics.engine import Array

_Quaternion = tuple[float, float, float, float]

# The nine entries of a rotation matrix, row by row, from the products of its quaternion's components: the first product
# plus or minus the second, times 2, e.g. 2 (x y - z w); on the diagonal 1 - 2 (y y + z z).
_XX, _XY, _XZ, _XW, _YY, _YZ, _YW, _ZZ, _ZW = 0, 1, 2, 3, 5, 6, 7, 10, 11
_FIRST = np.array([_YY, _XY, _XZ, _XY, _XX, _YZ, _XZ, _YZ, _XX])
_SECOND = np.array([_ZZ, _ZW, _YW, _ZW, _ZZ, _XW, _YW, _XW, _YY])
_SIGN = np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0])[:, None]
_SCALE = np.array([-2.0, 2.0, 2.0, 2.0, -2.0, 2.0, 2.0, 2.0, -2.0])[:, None]

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(a: Array, b: Array) -> Array:
    """Cross products (n, 3) of vectors (n, 3), equal to np.cross to the bit, which takes longer for a few vectors."""
    product: Array = a.take(_NEXT, 1) * b.take(_LAST, 1)
    product -= a.take(_LAST, 1) * b.take(_NEXT, 1)
    return product


def upright(yaw: float) -> _Quaternion:
    """Unit quaternion x, y, z, w of a turn about the vertical, rad, counter-clockwise."""
    return 0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)


def heading_of(rotation: Array) -> float:
    """Heading of the x axis of a rotation matrix (3, 3) along the ground, rad counter-clockwise from +x."""
    return math.atan2(rotation[1, 0], rotation[0, 0])


def quaternion_from_rotation(rotation: Array) -> _Quaternion:
    """Unit quaternion x, y, z, w with w >= 0 of one rotation matrix (3, 3)."""
    x, y, z, w = quaternions_from_rotations(rotation[None])[0].tolist()
    return x, y, z, w


def quaternions_from_rotations(rotations: Array) -> Array:
    """Unit quaternions (n, 4) as x, y, z, w with w >= 0, of rotation matrices (n, 3, 3).

    The largest component is computed from the diagonal and divides the others (Shepperd's method).
    """
    r = rotations
    diagonal = np.stack([r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]], 1)
    trace = diagonal.sum(1)
    # four times the square of each component
    squares = np.concatenate([1 + 2 * diagonal - trace[:, None], (1 + trace)[:, None]], 1)
    products = np.empty((len(r), 4, 4))
    # The diagonal of each.
    products.reshape(-1, 16)[:, ::5] = squares
    products[:, 0, 1] = products[:, 1, 0] = r[:, 0, 1] + r[:, 1, 0]
    products[:, 0, 2] = products[:, 2, 0] = r[:, 0, 2] + r[:, 2, 0]
    products[:, 1, 2] = products[:, 2, 1] = r[:, 1, 2] + r[:, 2, 1]
    products[:, 3, 0] = products[:, 0, 3] = r[:, 2, 1] - r[:, 1, 2]
    products[:, 3, 1] = products[:, 1, 3] = r[:, 0, 2] - r[:, 2, 0]
    products[:, 3, 2] = products[:, 2, 3] = r[:, 1, 0] - r[:, 0, 1]
    quaternions: Array = products[np.arange(len(r)), squares.argmax(1)]
    quaternions /= np.sqrt((quaternions * quaternions).sum(1, keepdims=True))
    quaternions[quaternions[:, 3] < 0] *= -1
    return quaternions


def rotations_from_quaternions(quaternions: Array) -> Array:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4) given as x, y, z, w."""
    q = np.ascontiguousarray(quaternions.T)
    products = (q[:, None] * q).reshape(16, -1)
    entries = products.take(_FIRST, 0)
    entries += _SIGN * products.take(_SECOND, 0)
    entries *= _SCALE
    entries[::4] += 1.0
    return np.ascontiguousarray(entries.T).reshape(-1, 3, 3)


def turned(quaternion: _Quaternion, angular_velocity: Array, seconds: float) -> _Quaternion:
    """A body's orientation, x, y, z, w, after it has turned for a while with an angular velocity (3,), world frame."""
    wx, wy, wz = angular_velocity.tolist()
    rate = math.sqrt(wx * wx + wy * wy + wz * wz)
    if rate == 0.0:
        return quaternion
    x, y, z, w = quaternion
    part, c = math.sin(rate * seconds / 2.0) / rate, math.cos(rate * seconds / 2.0)
    a, b, d = wx * part, wy * part, wz * part
    # Hamilton product of the turn and the orientation.
    return (
        c * x + a * w + b * z - d * y,
        c * y + b * w + d * x - a * z,
        c * z + d * w + a * y - b * x,
        c * w - a * x - b * y - d * z,
    )


def quaternion_products(a: Array, b: Array) -> Array:
    """Hamilton products (n, 4) of quaternions (n, 4) given as x, y, z, w."""
    product = np.empty_like(a)
    product[:, :3] = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + cross(a[:, :3], b[:, :3])
    product[:, 3] = a[:, 3] * b[:, 3] - np.einsum("mi,mi->m", a[:, :3], b[:, :3])
    return product
