# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Numbers of robots as pybullet lists them, and what of robots is near the ball."""

from typing import Any

import cython
from cython.cimports.libc.math import fabs

# Greatest distance along an axis at which a robot's base can reach the ball, m.
_REACH = cython.declare(cython.double, 0.8)
# Distance from a link's centre within which it may touch the ball, m; half the length of a shank is less.
_NEAR = cython.declare(cython.double, 0.3)


@cython.ccall
def unpack(
    parts: list[Any], states: list[Any], bases: cython.double[::1], joints: cython.double[:, ::1]
) -> cython.void:
    """Write the tables of `RobotTable.read`.

    Args:
        parts: position, quaternion, velocity and angular velocity of each base: tuples.
        states: `pybullet.getJointStates` of all robots.
        bases: (13 N,) all numbers of `parts`, written.
        joints: (3, J) positions, velocities and motor efforts of the joints, written.
    """
    count: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t
    one: tuple[Any, ...]
    for one in parts:
        for n in range(len(one)):
            bases[count] = one[n]
            count += 1
    for n, one in enumerate(states):
        joints[0, n] = one[0]
        joints[1, n] = one[1]
        joints[2, n] = one[3]


@cython.ccall
def turn(bases: cython.double[:, ::1], rotations: cython.double[:, ::1]) -> cython.void:
    """Write the rotations (N, 9) of bases (N, 13), whose quaternions x y z w Bullet keeps near to unit ones only."""
    row: cython.Py_ssize_t
    for row in range(bases.shape[0]):
        x: cython.double = bases[row, 3]
        y: cython.double = bases[row, 4]
        z: cython.double = bases[row, 5]
        w: cython.double = bases[row, 6]
        scale: cython.double = 2.0 / (x * x + y * y + z * z + w * w)
        u: cython.double = x * scale
        v: cython.double = y * scale
        t: cython.double = z * scale
        rotations[row, 0] = 1.0 - (y * v + z * t)
        rotations[row, 1] = x * v - w * t
        rotations[row, 2] = x * t + w * v
        rotations[row, 3] = x * v + w * t
        rotations[row, 4] = 1.0 - (x * u + z * t)
        rotations[row, 5] = y * t - w * u
        rotations[row, 6] = x * t - w * v
        rotations[row, 7] = y * t + w * u
        rotations[row, 8] = 1.0 - (x * u + y * v)


@cython.ccall
def shift_at_ball(
    ball: tuple[Any, ...], bases: cython.double[:, :], centres: cython.double[:, ::1], shifts: cython.double[:, ::1]
) -> Any:
    """Shift (3,) of the link that is nearest to the ball, m, zeros if none is near; None if no robot can reach it.

    Args:
        ball: place of the ball, m, and more numbers.
        bases: (N, 3) positions of the bases, m.
        centres: (P, 3) centres of the links in Bullet, m.
        shifts: (P, 3) shifts of the links from there to their real places, m.
    """
    x: cython.double = ball[0]
    y: cython.double = ball[1]
    z: cython.double = ball[2]
    row: cython.Py_ssize_t
    link: cython.Py_ssize_t
    nearest: cython.Py_ssize_t = -1
    least: cython.double = _NEAR * _NEAR
    for row in range(bases.shape[0]):
        if fabs(bases[row, 0] - x) < _REACH and fabs(bases[row, 1] - y) < _REACH:
            break
    else:
        return None
    for link in range(centres.shape[0]):
        u: cython.double = centres[link, 0] + shifts[link, 0] - x
        v: cython.double = centres[link, 1] + shifts[link, 1] - y
        w: cython.double = centres[link, 2] + shifts[link, 2] - z
        square: cython.double = u * u + v * v + w * w
        if square < least:
            least, nearest = square, link
    return (0.0, 0.0, 0.0) if nearest < 0 else (shifts[nearest, 0], shifts[nearest, 1], shifts[nearest, 2])
