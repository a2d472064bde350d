"""Displacements between poses in the plane."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.geometry.transforms import Array


def displacements(before: Array, after: Array) -> Array:
    """(N, 3) displacements between poses (N, 3): forward and left in the axes before, m, and turn, rad."""
    x, y = (after[:, :2] - before[:, :2]).T
    c, s = np.cos(before[:, 2]), np.sin(before[:, 2])
    turn = np.remainder(after[:, 2] - before[:, 2] + np.pi, 2.0 * np.pi) - np.pi
    return np.column_stack((c * x + s * y, c * y - s * x, turn))


def displaced(poses: Array, steps: Array) -> Array:
    """(N, 3) poses after displacements (N, 3); the inverse of `displacements`."""
    forward, left, turn = steps.T
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    after: Array = poses + np.column_stack((c * forward - s * left, s * forward + c * left, turn))
    return after
