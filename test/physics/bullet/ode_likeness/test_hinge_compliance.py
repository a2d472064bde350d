"""Hinge drift on PyBullet: the error it computes, its invisible helpers, and the rest, which stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

from simspark_conformance import CHECKS, Check, NotApplicableError, Subject
from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.bullet.ode_likeness.compliance_chains import drift_chains
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
from simspark_ros.physics.presets import load_preset
from simspark_ros.robots.catalogue import load_robot

STEP = 0.02
REST_HEIGHT = {0: 0.3839, 1: 0.4205, 3: 0.4396, 4: 0.3839}


def settings(*joints: str) -> BulletSettings:
    preset = load_preset("bullet", BulletSettings, "J1")
    return replace(preset, drift_joints=joints)


@pytest.fixture
def drift_preset(tmp_path: Path) -> str:
    """J1 with drift at the hips."""
    path = tmp_path / "drift.yaml"
    path.write_text("based_on: J1\ndrift_joints: [rlj1, llj1]\n")
    return str(path)


@pytest.fixture
def make() -> Iterator[Callable[..., BulletEngine]]:
    """Makes weightless worlds where the chains from these joints on drift."""
    made: list[BulletEngine] = []

    def make_engine(*joints: str, **others: float) -> BulletEngine:
        engine = BulletEngine(replace(settings(*joints), **others))  # type: ignore[arg-type]
        engine.load_scene(SceneModel(gravity=(0.0, 0.0, 0.0)))
        made.append(engine)
        return engine

    yield make_engine
    for engine in made:
        engine.close()


ROUND = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
ROD = ArticulatedModel(
    "rod",
    (
        Link("base", 1000.0, (1000.0, 0.0, 0.0, 1000.0, 0.0, 1000.0)),
        Link("rod", 0.1, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4), centre=(0.1, 0.0, 0.0)),
        Link("tip", 0.1, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4), centre=(0.05, 0.0, 0.0)),
    ),
    (Joint("pivot", JointKind.REVOLUTE, "base", "rod", (0.0, 0.0, 0.1), axis=(0.0, 0.0, 1.0), max_effort=100.0),),
    (Joint("weld", JointKind.FIXED, "rod", "tip", (0.1, 0.0, 0.0)),),
)
TWO_RODS = ArticulatedModel(
    "two_rods",
    (
        ROD.links[0],
        Link("upper", 1.0, ROUND, centre=(0.2, 0.0, 0.0)),
        Link("lower", 0.1, (1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4), centre=(0.125, 0.0, 0.0)),
    ),
    (
        Joint("shoulder", JointKind.REVOLUTE, "base", "upper", axis=(0.0, 0.0, 1.0), max_effort=100.0),
        # At the upper rod's centre, which its turning does not take away from it.
        Joint("elbow", JointKind.REVOLUTE, "upper", "lower", (0.2, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_effort=100.0),
    ),
)
# Centre of mass of rod and tip, which are one rigid body, from the pivot.
ARM = 0.125


def turning(engine: BulletEngine, speed: float, cycles: int) -> JointControl:
    size = len(engine.state.joint_position)
    control = JointControl(np.full(size, speed), engine.state.joint_max_effort.copy(), np.zeros(size))
    for _ in range(cycles):
        engine.step(control)
    return control


def where_is(engine: BulletEngine, handle: int, name: str) -> Any:
    return engine.link_poses(engine.select_links([(handle, name)]))[0][0]


def test_hinge_drifts_by_the_second_order_term_of_its_rotation(make):
    engine = make("pivot")
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    drift, angles = 0.0j, [0.0]
    for cycle in range(20):
        turning(engine, 6.0, 1)
        angles.append(float(engine.state.joint_position[0]))
        if cycle:
            # In the plane, complex numbers are vectors; the anchor is at -ARM along the rod from its centre.
            before, after = np.exp(1j * angles[-2]), np.exp(1j * angles[-1])
            straight = 1j * 2.0 * np.tan((angles[-1] - angles[-2]) / 2.0) * -ARM * before
            drift = 0.8 * drift + -ARM * (after - before) - straight
        expected = 0.1 * np.exp(1j * angles[-1]) + drift + complex(*engine.state.position[0, :2])
        found = complex(*where_is(engine, handle, "rod")[:2])
        # 0.02 mm: the heavy base turns back a little.
        assert abs(found - expected) < 2e-5
    # Some millimetres, towards the outside: the body moved along the tangent.
    assert 0.003 < abs(drift) < 0.006


def test_gap_closes_straight_while_the_parent_turns(make):
    engine = make("pivot")
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    turning(engine, 6.0, 20)
    # About the pivot itself; the rod does not turn any more, and is moved by its gap alone.
    spin = np.array([0.0, 0.0, 3.0])
    engine.set_velocity(handle, (0.0, 0.0, 0.0), tuple(spin), np.array([-3.0]))
    turning(engine, -3.0, 2)
    base, rod = engine.state.rotation[0].copy(), where_is(engine, handle, "rod")
    gap = base @ [position for position, _ in engine._robots[handle].slide_states()]
    turning(engine, -3.0, 1)
    way = where_is(engine, handle, "rod") - rod
    assert way == pytest.approx(-0.2 * gap, abs=1e-5)
    # Of the rod's anchor in the step, where the step began.
    velocity = np.cross(spin, gap) + base @ [speed for _, speed in engine._robots[handle].slide_states()]
    # The base's turning would add 8 mm/s; the reaction of the heavy base is below a thousandth.
    assert velocity == pytest.approx(way / STEP, abs=5e-4)


def test_gap_closes_straight_in_the_step_in_which_a_joint_begins_to_turn_the_parent(make):
    # The slides are to give way little to the force that moves the lower rod.
    engine = make("shoulder", "elbow", cfm=2e-5)
    handle = engine.add_robot(TWO_RODS, (0.0, 0.0, 5.0))
    limits = engine.state.joint_max_effort.copy()
    for _ in range(20):
        engine.step(JointControl(np.array([0.0, 6.0]), limits, np.zeros(2)))
    upper = engine.link_poses(engine.select_links([(handle, "upper")]))[1][0]
    gap = upper @ [position for position, _ in engine._robots[handle].slide_states()[3:]]
    # The lower rod stops turning, the upper one begins.
    engine.step(JointControl(np.array([6.0, -6.0]), limits, np.zeros(2)))
    speeds = upper @ [speed for _, speed in engine._robots[handle].slide_states()[3:]]
    velocity = np.cross((0.0, 0.0, 6.0), gap) + speeds
    assert np.linalg.norm(gap) > 4e-3
    # A gap that turned with the upper rod would add 24 mm/s.
    assert velocity == pytest.approx(-0.2 * gap / STEP, abs=1e-3)


def test_hinges_that_are_not_named_do_not_drift(make):
    engine = make("other")
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    turning(engine, 6.0, 20)
    tip = where_is(engine, handle, "rod") - engine.state.position[0]
    assert np.hypot(*tip[:2]) == pytest.approx(0.1, abs=1e-6)


def test_a_model_without_named_joints_gets_no_helpers(make):
    for engine in (make("nothing"), make()):
        robot = engine._robots[engine.add_robot(ROD, (0.0, 0.0, 5.0))]
        assert pybullet.getNumJoints(robot.body, physicsClientId=engine._client) == 2


def test_chains_end_where_the_next_one_begins():
    model = load_robot("nao", 4).model
    chains = drift_chains(model, ("llj4", "llj1", "rlj1"))
    assert chains is not None
    assert chains.joints == ("rlj1", "llj1", "llj4")
    assert np.bincount(chains.triple).tolist() == [7, 3, 4]
    assert [chains.bodies[body] for body in chains.carrier] == ["torso", "torso", "lthigh"]


def test_helpers_are_seen_nowhere(make_lab, drift_preset):
    drifting, plain = make_lab(preset=drift_preset), make_lab()
    for lab in (drifting, plain):
        lab.nao(4, z=0.4)
        lab.run(3)
    for name in ("joint_position", "joint_lower", "touching", "touch_force", "joint_offset", "touch_offset"):
        assert getattr(drifting.state, name).shape == getattr(plain.state, name).shape
    robot = drifting.core._robots[0]
    mass = sum(
        pybullet.getDynamicsInfo(robot.body, link, physicsClientId=drifting.core._client)[0]
        for link in robot.links.values()
    )
    assert mass == pytest.approx(robot.model.mass, rel=1e-9)
    with pytest.raises(KeyError, match="no link or frame 'rlj1 drift x'"):
        drifting.engine.select_links([(0, "rlj1 drift x")])


def test_placing_a_robot_ends_its_drift_and_keeps_that_of_others(make):
    engine = make("pivot")
    one, two = engine.add_robot(ROD, (0.0, 0.0, 5.0)), engine.add_robot(ROD, (3.0, 0.0, 5.0))
    turning(engine, 6.0, 15)

    def gap(handle: int) -> float:
        row = engine.state.row(handle)
        angle = engine.state.joint_position[row]
        straight = engine.state.rotation[row] @ [0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.1]
        return float(np.linalg.norm(where_is(engine, handle, "rod") - engine.state.position[row] - straight))

    drifted = gap(two)
    assert drifted > 0.003
    engine.place_robot(one, (0.0, 2.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    # Single precision of Bullet's helper poses.
    assert gap(one) < 1e-6 and gap(two) == drifted
    engine.remove_robot(one)
    turning(engine, 0.0, 1)
    # A joint at rest takes back a fifth a cycle; the step in which it stops has a smaller second-order term.
    assert gap(two) == pytest.approx(0.8 * drifted, rel=0.02)
    turning(engine, 0.0, 30)
    assert gap(two) < 1e-4


@pytest.mark.parametrize("variant", REST_HEIGHT)
def test_robot_at_rest_is_that_of_the_preset_without_drift(make_lab, drift_preset, variant):
    heights, forces = [], []
    for preset in ("J1", drift_preset):
        lab = make_lab(preset=preset)
        lab.nao(variant, z=REST_HEIGHT[variant] + 0.015)
        lab.run(150)
        heights.append(lab.state.position[0, 2])
        forces.append(lab.state.touch_force[:, 2])
        assert lab.state.rotation[0, 2, 2] == pytest.approx(1.0, abs=1e-5)
        landed = lab.state.position[0].copy()
        lab.run(50)
        assert lab.state.position[0] == pytest.approx(landed, abs=2e-5)
    # As without drift: 0.6 to 0.8 mm above ODE.
    assert heights[1] == pytest.approx(REST_HEIGHT[variant], abs=0.001)
    # The rest of the settling: 0.01 mm and, between toe and foot, 0.01 N.
    assert heights[1] == pytest.approx(heights[0], abs=1e-5)
    assert forces[1] == pytest.approx(forces[0], abs=0.01)


def test_kicking_foot_is_millimetres_off_its_joint_angles(make_lab, drift_preset):
    """Measured on ODE: 2.2 mm in the median of play, 14 to 18 mm in a kick, most of it downward."""
    lab = make_lab(preset=drift_preset)
    lab.nao(z=3.0)
    control, furthest = lab.hold(), 0.0
    for joint, speed in (("rlj3", -6.0), ("rlj4", 6.0), ("rlj5", -3.0)):
        control.velocity[lab.joint(joint)] = speed
    for _ in range(2):
        for _ in range(8):
            lab.run(1, control)
            slides = lab.core._drift._position
            furthest = max(furthest, float(np.linalg.norm(slides[:3])))
        control.velocity[:] = -control.velocity
    assert 0.002 < furthest < 0.022


def test_robot_that_is_put_back_forgets_its_drift(make_lab, drift_preset):
    lab = make_lab(preset=drift_preset)
    healthy, sick = lab.nao(x=-5.0), lab.nao(x=5.0)
    lab.run(30)
    before = lab.state.position.copy()
    lab.core.set_velocity(sick, (np.nan, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    assert lab.engine.recovered == [sick]
    lab.run(60)
    assert lab.engine.recovered == [] and lab.state.handles == (healthy, sick)
    assert lab.state.position == pytest.approx(before, abs=5e-3)


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_engine_keeps_its_promise_with_the_preset_of_classic_agents(check: Check):
    # Hips and elbows of the suite's robots.
    legacy = load_preset("bullet", BulletSettings, "legacy")
    drifting = replace(legacy, drift_joints=("left_hip", "right_hip", "elbow"))
    try:
        check.run(Subject(lambda: GuardedEngine(BulletEngine(drifting))))
    except NotApplicableError as reason:
        pytest.skip(str(reason))
