"""Velocities of points, from Bullet's numbers."""

from __future__ import annotations

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
