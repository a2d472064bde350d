"""A new Bullet world with the robots of an old one."""

from __future__ import annotations

from collections.abc import Sequence

import pybullet

from simspark_ros.physics.bullet.ball import BulletBall, build_scene
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.scene import build_for_materials, connect
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import SceneModel

World = tuple[int, BulletBall | None, dict[int, float] | None]
"""Bullet's number of the world, its ball, and restitution of immovable bodies for links with a material, by body."""


def new_world(
    settings: BulletSettings, scene: SceneModel, robots: Sequence[BulletRobot], has_materials: bool
) -> World | None:
    """Make a world, and take the robots there; None if none can be made: the robots are then where they were."""
    before = [(robot.client, robot.body) for robot in robots]
    try:
        client = connect(settings)
    except (OSError, pybullet.error):
        return None
    try:
        ball = build_scene(client, settings, scene)
        standing = build_for_materials(client, settings, scene) if has_materials else None
        for robot in robots:
            robot.reload(client)
    except (PhysicsError, pybullet.error):
        for robot, home in zip(robots, before, strict=True):
            robot.client, robot.body = home
        pybullet.disconnect(physicsClientId=client)
        return None
    return client, ball, standing
