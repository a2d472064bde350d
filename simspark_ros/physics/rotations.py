"""Rotations of many bodies at once (transforms3d does one at a time)."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array


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
    products[:, range(4), range(4)] = squares
    products[:, 0, 1] = products[:, 1, 0] = r[:, 0, 1] + r[:, 1, 0]
    products[:, 0, 2] = products[:, 2, 0] = r[:, 0, 2] + r[:, 2, 0]
    products[:, 1, 2] = products[:, 2, 1] = r[:, 1, 2] + r[:, 2, 1]
    products[:, 3, 0] = products[:, 0, 3] = r[:, 2, 1] - r[:, 1, 2]
    products[:, 3, 1] = products[:, 1, 3] = r[:, 0, 2] - r[:, 2, 0]
    products[:, 3, 2] = products[:, 2, 3] = r[:, 1, 0] - r[:, 0, 1]
    quaternions: Array = products[np.arange(len(r)), squares.argmax(1)]
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    quaternions[quaternions[:, 3] < 0] *= -1
    return quaternions


def rotations_from_quaternions(quaternions: Array) -> Array:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4) given as x, y, z, w."""
    x, y, z, w = quaternions.T
    rotations = np.empty((len(quaternions), 3, 3))
    rotations[:, 0, 0], rotations[:, 1, 1] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z)
    rotations[:, 2, 2] = 1 - 2 * (x * x + y * y)
    rotations[:, 0, 1], rotations[:, 1, 0] = 2 * (x * y - z * w), 2 * (x * y + z * w)
    rotations[:, 0, 2], rotations[:, 2, 0] = 2 * (x * z + y * w), 2 * (x * z - y * w)
    rotations[:, 1, 2], rotations[:, 2, 1] = 2 * (y * z - x * w), 2 * (y * z + x * w)
    return rotations
