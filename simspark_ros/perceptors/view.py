"""Axes of cameras (pan, tilt, fixed axes) and occlusion by robots."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
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


def hidden(
    points: Array, observer: IntArray, owner: IntArray, torsos: Array, own: IntArray, radius: Array
) -> BoolArray:
    """Find the points behind the torso of a robot, modelled as a sphere.

    A sphere of radius r around c hides p from the origin if the perpendicular from c to the line of sight is shorter
    than r, and meets the line between the origin and p. A robot hides neither its own parts nor anything from itself.

    Args:
        points: (K, 3) points in the frames of their observers' cameras.
        observer: (K,) index of each point's observer.
        owner: (K,) row of the robot that each point belongs to, -1 = none.
        torsos: (N, M, 3) centres of all robots' torsos in the observers' frames.
        own: (M,) rows of the observers.
        radius: (M,) radius of the spheres, m; 0 = nothing is hidden from this observer.

    Returns:
        (K,) whether each point is hidden.
    """
    distance = np.sqrt(np.einsum("ki,ki->k", points, points))
    centre = torsos.take(observer, 1)
    along = np.einsum("nki,ki->nk", centre, points / distance[:, None])
    across = np.einsum("nki,nki->nk", centre, centre) - along**2
    hides = (along > 0) & (along < distance) & (across < radius.take(observer) ** 2)
    index = np.arange(len(points))
    hides[own.take(observer), index] = False
    owned = owner >= 0
    hides[owner[owned], index[owned]] = False
    behind: BoolArray = hides.any(0)
    return behind


def _pan_tilt(pan: float, tilt: float) -> Array:
    """Rotation from camera to body: pan about z (positive left), then tilt about the camera's own y (positive up)."""
    c, s, ct, st = math.cos(pan), math.sin(pan), math.cos(tilt), math.sin(tilt)
    return np.array([[c * ct, -s, -c * st], [s * ct, c, -s * st], [st, 0.0, ct]])
