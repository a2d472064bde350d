"""Rotations, and velocities of points, from Bullet's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BASE
from simspark_ros.physics.engine import Array


def point_velocity(client: int, body: int, link: int, arm: Array) -> Array:
    """Velocity (3,) of a point of a link, m/s; arm: (3,) way to it from the link's centre of mass, m, world frame."""
    if link == BASE:
        linear, angular = pybullet.getBaseVelocity(body, physicsClientId=client)
    else:
        linear, angular = pybullet.getLinkState(body, link, computeLinkVelocity=1, physicsClientId=client)[6:8]
    velocity: Array = np.cross(angular, arm) + linear
    return velocity


def rotations_of(quaternions: Sequence[Sequence[float]]) -> Array:
    """Rotations (K, 3, 3) of quaternions x, y, z, w, which Bullet keeps as unit ones to single precision only."""
    entries: list[float] = []
    for quaternion in quaternions:
        entries += pybullet.getMatrixFromQuaternion(quaternion)
    return packed(entries, 3, 3)


def packed(values: list[float], *shape: int) -> Array:
    """The numbers as an array (K, *shape) that cannot be written to, made faster than by `np.array`."""
    return np.frombuffer(pack(f"{len(values)}d", *values)).reshape(-1, *shape)
