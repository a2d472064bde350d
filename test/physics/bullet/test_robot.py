"""Settings of a robot as PyBullet has them: it ignores some arguments without an error."""

from __future__ import annotations

import pybullet

from simspark_ros.physics.bullet import engine as bullet
from simspark_ros.physics.bullet.engine import create
from simspark_ros.physics.bullet.scene import OWN_GROUPS, SHARED_GROUP
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


def test_robots_without_a_group_of_their_own_collide_like_others(make_lab, monkeypatch):
    own, shared = make_lab(), make_lab()
    for lab, groups in ((own, OWN_GROUPS), (shared, ())):
        monkeypatch.setattr(bullet, "OWN_GROUPS", groups)
        robots = [lab.nao(x=0.4 * column, z=0.386) for column in range(2)]
        lab.engine.set_velocity(robots[0], (1.5, 0.3, 0.0), (0.0, 0.0, 0.0))
        lab.engine.place_ball((-0.1, 0.05, 0.5))
        lab.run(20)
    assert [robot.group for robot in shared.core._robots.values()] == [SHARED_GROUP] * 2
    # There was an impact, and the same one.
    assert own.state.position[1, 0] > 0.405
    assert own.state.position.tolist() == shared.state.position.tolist()
    assert own.state.ball_position.tolist() == shared.state.ball_position.tolist()


def test_group_of_a_robot_that_left_is_given_again(lab):
    robots = [lab.nao(x=column) for column in range(3)]
    gone = lab.core._robots[robots[1]].group
    lab.engine.remove_robot(robots[1])
    assert lab.core._robots[lab.nao(x=1.0)].group == gone
    assert len({robot.group for robot in lab.core._robots.values()}) == 3
