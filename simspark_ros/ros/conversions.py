"""Values of the simulation in the units, frames and fields of ROS messages. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations, upright

MAP, ODOM = "map", "odom"
"""Frames of REP-105. The world of the simulator is `map`."""

_NANOSECONDS = 1_000_000_000


def set_stamp(stamp: Any, time: float) -> None:
    """Write a simulated time, s, into a builtin_interfaces/Time."""
    stamp.sec, stamp.nanosec = divmod(round(time * _NANOSECONDS), _NANOSECONDS)


def seconds_of(stamp: Any) -> float:
    """A builtin_interfaces/Time or Duration in s."""
    return float(stamp.sec + stamp.nanosec / _NANOSECONDS)


def tick_of(time: float, rate: float) -> int:
    """Periods of a rate (Hz) that have passed at a time (s); an event of each period is due when the number changes."""
    # Sums of cycles may lie a rounding error before a period's end.
    return math.floor(time * rate + 1e-6)


def set_xyz(message: Any, values: Sequence[float]) -> None:
    """Write three numbers into a Point or Vector3."""
    message.x, message.y, message.z = values


def xyz(message: Any) -> tuple[float, float, float]:
    """The fields of a Point or Vector3."""
    return message.x, message.y, message.z


def xyzw(message: Any) -> tuple[float, float, float, float]:
    """The fields of a Quaternion."""
    return message.x, message.y, message.z, message.w


def set_quaternion(message: Any, values: Sequence[float]) -> None:
    """Write x, y, z, w into a Quaternion."""
    message.x, message.y, message.z, message.w = values


def set_heading(message: Any, yaw: float) -> None:
    """Set a quaternion message to a turn about the vertical, rad, counter-clockwise."""
    set_quaternion(message, upright(yaw))


def covariance(deviation: float) -> list[float]:
    """Row-major 3x3 covariance of a sensor with independent noise of the same standard deviation on each axis."""
    variance = deviation * deviation
    return [variance, 0.0, 0.0, 0.0, variance, 0.0, 0.0, 0.0, variance]


def diagonal_6(variances: Array) -> list[float]:
    """Row-major 6x6 covariance of six independent values, from their variances (6,)."""
    return np.diag(variances).ravel().tolist()


def wrench_at_origin(point: Array, force: Array) -> Array:
    """Torque (3,) N m about a link's origin of a force (3,) N that acts at a point (3,) m, all in the link's axes."""
    (px, py, pz), (fx, fy, fz) = point.tolist(), force.tolist()
    return np.array([py * fz - pz * fy, pz * fx - px * fz, px * fy - py * fx])


@dataclass(frozen=True)
class BaseMotion:
    """Poses (m; x, y, z, w) and velocities (m/s, rad/s; in its own axes) of the base frames of N robots, a row each."""

    position: Array
    quaternion: Array
    linear: Array
    angular: Array


def base_motion(state: EngineState, offset: Array, turn: Array) -> BaseMotion:
    """Poses and velocities of the base frames of all robots, from the motion of the base links' centres of mass.

    Offset: (N, 3) of each base frame from that centre, in the base link's axes, m; turn: (N, 3, 3) base frame to link.
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
