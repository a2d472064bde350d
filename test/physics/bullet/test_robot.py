"""Settings of a robot as PyBullet has them: it ignores some arguments without an error."""

import os
from dataclasses import replace

import numpy as np
import pybullet
import pytest

from simspark_conformance.models import solid_box
from simspark_ros.physics.bullet import engine as bullet
from simspark_ros.physics.bullet.robot import MOST_JOINTS, BulletRobot
from simspark_ros.physics.bullet.scene import OWN_GROUPS, SHARED_GROUP
from simspark_ros.physics.bullet.table import RobotTable
from simspark_ros.physics.engine import JointControl, PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, Vector
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab

LATERAL_FRICTION = 1


def test_every_link_has_the_friction_of_the_preset_and_no_limit_of_joint_speed(ground):
    """With maxJointVelocity in the same call PyBullet ignores friction: robots walk slower and fall twice as often."""
    engine = ground.core
    robot = engine._robots[ground.nao()]
    for link in range(-1, pybullet.getNumJoints(robot.body, physicsClientId=engine._client)):
        info = pybullet.getDynamicsInfo(robot.body, link, physicsClientId=engine._client)
        assert info[LATERAL_FRICTION] == engine._settings.link_friction


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
    told = "'chain' has 128 joints, fixed ones included, but PyBullet takes at most 127"
    with pytest.raises(PhysicsError, match=told):
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


DRAG, STEP = 0.01, 0.02
# About z.
BASE_INERTIA, WHEEL_INERTIA = 0.05, 0.01


AXLE = Joint("axle", JointKind.CONTINUOUS, "body", "wheel", axis=(0.0, 0.0, 1.0), max_velocity=50.0, max_effort=100.0)
BODY = Link("body", 2.0, (0.04, 0.0, 0.0, 0.04, 0.0, BASE_INERTIA))
WHEEL = Link("wheel", 0.5, (0.006, 0.0, 0.0, 0.006, 0.0, WHEEL_INERTIA))


@pytest.mark.parametrize("engine_preset", ["J1", "legacy"])
@pytest.mark.parametrize("speed", [0.0, 12.0, -12.0, -20.0])
def test_robot_loses_angular_momentum_by_the_spins_of_all_its_links(empty, speed):
    handle = empty.add(ArticulatedModel("spinner", (BODY, WHEEL), (AXLE,), angular_drag=DRAG))
    lab, control = empty, empty.hold()
    control.velocity[:] = speed
    lab.run(20, control)
    lab.engine.set_velocity(handle, (0.0, 0.0, 0.0), (0.0, 0.0, 4.0))
    lab.run(3, control)

    def spins() -> np.ndarray:
        base = float(lab.state.angular_velocity[0, 2])
        return np.array([base, base + float(lab.state.joint_velocity[0])])

    before = spins()
    lab.run(1, control)
    after = spins()
    change = float(np.array([BASE_INERTIA, WHEEL_INERTIA]) @ (after - before))
    # Explicit, as on the classic server: of the spins before the step. 1 %: cfm of the motor's row.
    assert change == pytest.approx(-DRAG * before.sum() * STEP, rel=0.01, abs=1e-7)


# Bullet's quaternions have unit length to single precision only, 6e-8, which twists add up along a limb.
ROUNDING = 2e-6


@pytest.mark.parametrize("name", ["nao_v6", "msl"])
def test_links_are_and_move_as_bullet_says(make_lab, name):
    lab = make_lab()
    robots = [lab.engine.add_robot(load_robot(name, 0).model, (2.0 * number, 0.0, 0.6)) for number in range(2)]
    joints, control = len(lab.state.joint_position), lab.hold()
    for cycle in range(20):
        control.velocity = 2.0 * np.sin(np.arange(joints) + 0.1 * cycle)
        lab.engine.step(control)
    links = lab.core._rows.links
    for row, robot in enumerate(map(lab.core._robots.__getitem__, robots)):
        own, client = links.of_robot(row), lab.core._client
        states = pybullet.getLinkStates(robot.body, robot.model_links[1:], 1, 1, physicsClientId=client)
        for found, column in ((links.centres, 0), (links.linear, 6), (links.angular, 7)):
            assert found[own][1:] == pytest.approx(np.array([state[column] for state in states]), abs=ROUNDING)
        turned = np.reshape([pybullet.getMatrixFromQuaternion(state[5]) for state in states], (-1, 3, 3))
        assert links.rotations[own][1:] == pytest.approx(turned, abs=ROUNDING)
        assert links.spins()[row] == pytest.approx(links.angular[own].sum(axis=0))


def test_an_impact_does_not_turn_a_joint_with_much_friction_through_its_stop(ground):
    """Limp, but with friction as large as its motor's effort: Talos' gripper was 20 degrees beyond, this flap 28."""
    base, limb = solid_box("base", 5.0, (0.3, 0.3, 0.1)), solid_box("limb", 0.02, (0.2, 0.05, 0.01), (0.1, 0.0, 0.0))
    hinge = Joint("j", JointKind.REVOLUTE, "base", "limb", (0.15, 0.0, -0.05), axis=(0.0, 1.0, 0.0), friction=0.05)
    hinge = replace(hinge, lower=-1.0, upper=0.0, max_velocity=5.0, max_effort=0.05)
    ground.add(ArticulatedModel("flap", (base, limb), (hinge,)), (0.0, 0.0, 2.0))
    positions = []
    for _ in range(60):
        ground.run(1, JointControl(np.zeros(1), np.full(1, 0.05), np.zeros(1)))
        positions.append(float(ground.state.joint_position[0]))
    # 2 degrees are allowed.
    assert max(positions) < np.radians(2.0)


def rag_doll() -> ArticulatedModel:
    """A torso of 10 kg with a neck, arms and legs of light joints in rows, all of which have stops at 0.6 rad."""
    links, joints = [solid_box("torso", 10.0, (0.2, 0.3, 0.4))], []
    neck = [("z", 0.2, 0.02, 0.02), ("y", 0.15, 0.02, 0.02), ("x", 1.4, 0.15, 0.15)]
    arm = [("y", 0.5, 0.03, 0.05), ("z", 0.3, 0.15, 0.05), ("y", 0.2, 0.03, 0.04), ("z", 0.2, 0.12, 0.04)]
    arm += [("y", 0.08, 0.02, 0.02), ("x", 0.16, 0.02, 0.02), ("z", 0.2, 0.06, 0.04)]
    leg = [("z", 1.0, 0.03, 0.1), ("x", 1.0, 0.03, 0.1), ("y", 2.0, 0.25, 0.1), ("y", 1.5, 0.25, 0.08)]
    leg += [("y", 0.3, 0.03, 0.05), ("x", 0.6, 0.05, 0.1)]
    limbs: list[tuple[Vector, Vector, list[tuple[str, float, float, float]]]] = [
        ((0.0, 0.0, 0.2), (0.0, 0.0, 1.0), neck),
        *(((0.0, 0.15 * side, 0.15), (0.0, side, 0.0), arm) for side in (1.0, -1.0)),
        *(((0.0, 0.08 * side, -0.2), (0.0, 0.0, -1.0), leg) for side in (1.0, -1.0)),
    ]
    for limb, (place, way, parts) in enumerate(limbs):
        parent, (x, y, z) = "torso", place
        for number, (axis, mass, length, thick) in enumerate(parts):
            name = f"limb{limb}_{number}"
            width, depth, height = (max(abs(one) * length, thick) for one in way)
            a, b, c = (one * length / 2.0 for one in way)
            link = solid_box(name, mass, (width, depth, height), (a, b, c))
            links.append(link if length >= 0.05 else replace(link, collisions=()))
            turn = (float(axis == "x"), float(axis == "y"), float(axis == "z"))
            joint = Joint(name, JointKind.REVOLUTE, parent, name, (x, y, z), axis=turn, lower=-0.6, upper=0.6)
            joints.append(replace(joint, max_velocity=5.0, max_effort=20.0))
            parent, (x, y, z) = name, (2.0 * a, 2.0 * b, 2.0 * c)
    return ArticulatedModel("doll", tuple(links), tuple(joints))


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_a_rag_doll_gains_no_energy_from_its_stops(ground: Lab, seed: int) -> None:
    """Light joints passed their stops by a radian in a step, and the doll flew off: limp Romeo, H1-2, H2."""
    model, made = rag_doll(), ground.engine
    count = len(model.joints)
    handle = ground.add(model, (0.0, 0.0, 0.85))
    made.set_joint_positions(handle, np.random.default_rng(seed).uniform(-0.3, 0.3, count))
    made.place_robot(handle, (0.0, 0.0, 0.85 + 0.03 * seed), (0.0, 0.1, 0.0, 0.995))
    limp = JointControl(*np.zeros((3, count)))
    masses = np.array([link.mass for link in model.links])
    links = made.select_links([(handle, link.name) for link in model.links])

    def energy() -> float:
        centres, speeds = made.link_poses(links)[0], made.link_velocities(links)[0]
        return float(masses @ (0.5 * (speeds**2).sum(axis=1) + 9.81 * centres[:, 2]))

    start, most = energy(), 0.0
    for _ in range(150):
        made.step(limp)
        most = max(most, energy())
    assert most < 1.01 * start


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_joint_that_is_sent_to_its_elastic_stop_rests_there_and_does_not_bounce(make_lab, side):
    """As on ODE, which turns bodies a little less than w h in a step: walking agents send ankles to their stops."""
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)), "legacy")
    handle = lab.nao(z=1.0)
    joint, control = lab.joint("llj5"), lab.hold()
    stop = float((lab.state.joint_lower if side < 0.0 else lab.state.joint_upper)[joint])
    start = np.zeros(len(control.velocity))
    # Agents read hundredths of a degree, so that they miss by half as much.
    start[joint] = stop - (0.12 - np.radians(0.004)) * side
    lab.engine.set_joint_positions(handle, start)
    control.velocity[joint] = 6.0 * side
    lab.engine.step(control)
    control.velocity[joint] = 0.0
    lab.engine.step(control)
    assert lab.state.joint_position[joint] == pytest.approx(stop, abs=np.radians(0.02))
