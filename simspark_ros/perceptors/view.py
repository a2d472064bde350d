"""Axes of cameras: pan, tilt, fixed axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.worlds.robot import LOOKING_AHEAD, Robot


def turned(rotations: Array, robots: Sequence[Robot], fixed: IntArray) -> Array:
    """Apply pan and tilt, and the fixed axes of cameras that do not turn with their bodies.

    Args:
        rotations: (M, 3, 3) rotations from bodies to world.
        robots: M carriers. Their pan and tilt are relative to the axes of the body, or to the fixed axes.
        fixed: (F,) indices of the cameras with fixed axes: x toward the opponent's goal, z up.

    Returns:
        Rotations (M, 3, 3) from cameras to world; the argument itself if nothing is turned.
    """
    looking = [index for index, robot in enumerate(robots) if robot.pan_tilt is not LOOKING_AHEAD]
    if not looking and not len(fixed):
        return rotations
    result = rotations.copy()
    for index in fixed.tolist():
        sign = float(robots[index].frame_sign)
        result[index] = np.diag([sign, sign, 1.0])
    for index in looking:
        result[index] = result[index] @ _pan_tilt(*robots[index].pan_tilt)
    return result


def _pan_tilt(pan: float, tilt: float) -> Array:
    """Rotation from camera to body: pan about z (positive left), then tilt about the camera's own y (positive up)."""
    c, s, ct, st = math.cos(pan), math.sin(pan), math.cos(tilt), math.sin(tilt)
    return np.array([[c * ct, -s, -c * st], [s * ct, c, -s * st], [st, 0.0, ct]])
