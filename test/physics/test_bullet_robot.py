"""What PyBullet was really told about a robot: it ignores some arguments without a word."""

from __future__ import annotations

import pybullet

from simspark_ros.physics.bullet import create
from simspark_ros.physics.model import SceneModel
from simspark_ros.robots.catalogue import load_robot

LATERAL_FRICTION = 1


def test_every_link_has_the_friction_of_the_preset_and_no_limit_of_joint_speed():
    """With maxJointVelocity in the same call PyBullet ignores friction: robots walk slower and fall twice as often."""
    engine = create()
    engine.load_scene(SceneModel())
    handle = engine.add_robot(load_robot("nao").model, (0.0, 0.0, 0.4))
    robot = engine._robots[handle]
    for link in range(-1, pybullet.getNumJoints(robot.body, physicsClientId=engine._client)):
        info = pybullet.getDynamicsInfo(robot.body, link, physicsClientId=engine._client)
        assert info[LATERAL_FRICTION] == engine._settings.link_friction
    engine.close()
