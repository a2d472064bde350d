"""Settings of a robot as PyBullet has them: it ignores some arguments without an error."""

import os

import pybullet
import pytest

from simspark_ros.physics.bullet import engine as bullet
from simspark_ros.physics.bullet.engine import create
from simspark_ros.physics.bullet.robot import MOST_JOINTS, BulletRobot
from simspark_ros.physics.bullet.scene import OWN_GROUPS, SHARED_GROUP
from simspark_ros.physics.bullet.table import RobotTable
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
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


def chain(joints: int, kind: JointKind) -> ArticulatedModel:
    links = tuple(Link(str(number), 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3)) for number in range(joints + 1))
    hinges = tuple(
        Joint(f"j{number}", kind, str(number), str(number + 1), axis=(1.0, 0.0, 0.0), lower=-1.0, upper=1.0)
        for number in range(joints)
    )
    fixed = kind is JointKind.FIXED
    return ArticulatedModel("chain", links, () if fixed else hinges, hinges if fixed else ())


def bodies(lab) -> int:
    return int(pybullet.getNumBodies(physicsClientId=lab.core._client))


@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.FIXED])
def test_robot_with_more_joints_than_pybullet_takes_is_refused_and_leaves_no_body(lab, kind):
    before = bodies(lab)
    with pytest.raises(
        PhysicsError, match="'chain' has 128 joints, fixed ones included, but PyBullet takes at most 127"
    ):
        lab.engine.add_robot(chain(MOST_JOINTS + 1, kind), (0.0, 0.0, 1.0))
    assert (bodies(lab), lab.state.handles) == (before, ())
    lab.engine.add_robot(chain(MOST_JOINTS, kind), (0.0, 0.0, 1.0))
    lab.run(1)


@pytest.mark.parametrize(
    ("owner", "method", "refusal"),
    [
        (os, "memfd_create", PhysicsError),
        (pybullet, "loadURDF", PhysicsError),
        (BulletRobot, "place", PhysicsError),
        (RobotTable, "read", pybullet.error),
    ],
)
def test_robot_that_cannot_be_made_leaves_no_body_and_no_row(lab, monkeypatch, owner, method, refusal):
    lab.nao(x=2.0)
    before, state = bodies(lab), lab.state
    original, calls = getattr(owner, method), iter(range(10))

    def fail(*arguments: object, **options: object) -> object:
        if next(calls) == 0:
            raise OSError("no more files") if owner is os else pybullet.error("failed")
        return original(*arguments, **options)

    monkeypatch.setattr(owner, method, fail)
    with pytest.raises(refusal):
        lab.nao(x=0.0)
    assert bodies(lab) == before
    assert (lab.state.handles, lab.state.position.tolist()) == (state.handles, state.position.tolist())
    lab.run(1)
    assert lab.nao(x=0.0) not in state.handles
