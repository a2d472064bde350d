"""Hinges of PyBullet's robots drift apart and bring momenta along, as those of ODE do."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, JointControl
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, Vector
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from test.physics.engine_availability import skip_without

STEP = 0.02
WEIGHTLESS = SceneModel(gravity=(0.0, 0.0, 0.0))


@pytest.fixture
def make() -> Iterator[Callable[..., BulletEngine]]:
    """Makes weightless worlds with drift, or without, and motors and contacts as soft as ODE's."""
    with ExitStack() as made:

        def make_engine(drifts: bool = True) -> BulletEngine:
            preset = load_preset("bullet", BulletSettings, "J1")
            engine = made.enter_context(closing(BulletEngine(replace(preset, hinge_drift=int(drifts), cfm=1e-4))))
            engine.load_scene(WEIGHTLESS)
            return engine

        yield make_engine


def link(name: str, mass: float, moment: float, centre: Vector = (0.0, 0.0, 0.0)) -> Link:
    return Link(name, mass, (moment, 0.0, 0.0, moment, 0.0, moment), centre)


PIVOT = Joint("pivot", JointKind.REVOLUTE, "base", "rod", (0.0, 0.0, 0.1), axis=(0.0, 0.0, 1.0), max_effort=100.0)
WELD = Joint("weld", JointKind.FIXED, "rod", "tip", (0.1, 0.0, 0.0))
ROD_AND_TIP = link("rod", 0.1, 1e-4, (0.1, 0.0, 0.0)), link("tip", 0.1, 1e-4, (0.05, 0.0, 0.0))
ROD = ArticulatedModel("rod", (link("base", 1000.0, 1000.0), *ROD_AND_TIP), (PIVOT,), (WELD,))
ARM = 0.1


def turning(engine: BulletEngine, speed: float, cycles: int) -> None:
    size = len(engine.state.joint_position)
    control = JointControl(np.full(size, speed), engine.state.joint_max_effort.copy(), np.zeros(size))
    for _ in range(cycles):
        engine.step(control)


def where_is(engine: BulletEngine, handle: int, name: str) -> Array:
    place: Array = engine.link_poses(engine.select_links([(handle, name)]))[0][0]
    return place


def gap_of(engine: BulletEngine, handle: int) -> Array:
    """(3,) shift of the rod from its place with a closed hinge, m."""
    row = engine.state.row(handle)
    angle = engine.state.joint_position[row]
    closed = engine.state.rotation[row] @ [ARM * np.cos(angle), ARM * np.sin(angle), 0.1]
    gap: Array = where_is(engine, handle, "rod") - engine.state.position[row] - closed
    return gap


def test_hinge_drifts_by_the_second_order_term_of_its_rotation(make):
    engine = make()
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    drift, angles = 0.0j, [0.0]
    for _ in range(20):
        turning(engine, 6.0, 1)
        angles.append(float(engine.state.joint_position[0]))
        # In the plane, complex numbers are vectors.
        before, after = ARM * np.exp(1j * angles[-2]), ARM * np.exp(1j * angles[-1])
        drift = 0.8 * drift + before + 1j * (angles[-1] - angles[-2]) * before - after
        # 0.02 mm: the heavy base turns back a little.
        assert abs(complex(*gap_of(engine, handle)[:2]) - drift) < 2e-5
    # Some millimetres, towards the outside: the body moved along the tangent, and what is fixed to it with it.
    assert 0.003 < abs(drift) < 0.006
    apart = where_is(engine, handle, "tip") - where_is(engine, handle, "rod")
    assert np.linalg.norm(apart) == pytest.approx(0.05, abs=1e-6)


def test_gap_closes_straight_while_the_parent_turns(make):
    engine = make()
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    turning(engine, 6.0, 20)
    # About the pivot itself; the rod does not turn any more, and is moved by its gap alone.
    engine.set_velocity(handle, (0.0, 0.0, 0.0), (0.0, 0.0, 3.0), np.array([-3.0]))
    turning(engine, -3.0, 2)
    rod, gap = where_is(engine, handle, "rod"), gap_of(engine, handle)
    turning(engine, -3.0, 1)
    way = where_is(engine, handle, "rod") - rod
    assert np.linalg.norm(gap) > 2e-3
    # A gap that turned with the base would add 0.1 mm.
    assert way == pytest.approx(-0.2 * gap, abs=1e-5)
    linear, _ = engine.link_velocities(engine.select_links([(handle, "rod")]))
    # Of the coming step, as ODE has it; the base turns the rod's closed place by what the rod turns back.
    assert linear[0] == pytest.approx(-0.2 * gap_of(engine, handle) / STEP, abs=2e-3)


def test_placing_a_robot_ends_its_drift_and_keeps_that_of_others(make):
    engine = make()
    one, two = engine.add_robot(ROD, (0.0, 0.0, 5.0)), engine.add_robot(ROD, (3.0, 0.0, 5.0))
    turning(engine, 6.0, 15)
    drifted = np.linalg.norm(gap_of(engine, two))
    assert drifted > 0.003
    engine.place_robot(one, (0.0, 2.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    assert np.linalg.norm(gap_of(engine, one)) < 1e-6 and np.linalg.norm(gap_of(engine, two)) == drifted
    engine.remove_robot(one)
    turning(engine, 0.0, 1)
    # A joint at rest takes back a fifth a cycle; the step in which it stops has a smaller second-order term.
    assert np.linalg.norm(gap_of(engine, two)) == pytest.approx(0.8 * drifted, rel=0.02)
    turning(engine, 0.0, 30)
    assert np.linalg.norm(gap_of(engine, two)) < 1e-4


SPEEDS = np.array([6.0, -4.0])
SHOULDER = Joint("shoulder", JointKind.REVOLUTE, "base", "arm", (0.1, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_effort=1e3)
ELBOW = Joint("elbow", JointKind.REVOLUTE, "arm", "hand", (0.5, 0.0, 0.0), axis=(0.0, 1.0, 0.0), max_effort=1e3)
LIMBS = link("arm", 1.0, 0.01, (0.3, 0.0, 0.05)), link("hand", 0.5, 2e-3, (0.2, 0.0, 0.0))
THROWER = ArticulatedModel("thrower", (link("base", 2.0, 0.02), *LIMBS), (SHOULDER, ELBOW))
SLIDER = replace(THROWER, name="slider", joints=(SHOULDER, replace(ELBOW, kind=JointKind.PRISMATIC)))


def swing(engine: BulletEngine | GuardedEngine, cycles: int) -> np.ndarray:
    """(cycles, 6) velocities of the first robot while all swing their arms."""
    rows = []
    for _ in range(cycles):
        state = engine.state
        speeds = np.tile(SPEEDS, len(state.handles))
        engine.step(JointControl(speeds, state.joint_max_effort.copy(), np.zeros(len(speeds))))
        rows.append(np.concatenate((engine.state.linear_velocity[0], engine.state.angular_velocity[0])))
    return np.array(rows)


def test_swinging_limbs_move_their_robot_as_on_ode(make):
    skip_without("ode")
    ode = create_engine("ode")
    ode.load_scene(WEIGHTLESS)
    engines = ode, make(True), make(False)
    for engine in engines:
        engine.add_robot(THROWER, (0.0, 0.0, 5.0))
    theirs, ours, bullets = (swing(engine, 15) for engine in engines)
    ode.close()
    error, before = np.abs(ours - theirs).max(axis=0), np.abs(bullets - theirs).max(axis=0)
    # Of 0.35 m/s and 5 rad/s; the rest are the tilts of ODE's hinges. Without drift it is 0.021 m/s and 0.099 rad/s.
    assert error[:3].max() < 6e-4 and error[3:].max() < 0.03
    assert before[:3].max() > 0.02 and before[3:].max() > 0.09


def test_robot_that_is_put_somewhere_brings_nothing_along(make):
    engine = make()
    handle = engine.add_robot(THROWER, (0.0, 0.0, 5.0))
    swing(engine, 5)
    engine.place_robot(handle, (0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    engine.step(JointControl(np.zeros(2), engine.state.joint_max_effort.copy(), np.zeros(2)))
    assert engine.state.linear_velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert engine.state.joint_velocity == pytest.approx([0.0, 0.0], abs=1e-9)


def test_robots_with_sliding_joints_move_as_bullet_has_them(make):
    paths = []
    for carried in (True, False):
        engine = make(carried)
        engine.add_robot(SLIDER, (0.0, 0.0, 5.0))
        paths.append(swing(engine, 8))
    assert paths[0].tolist() == paths[1].tolist()


def test_nao_whose_hinges_drift_keeps_its_momentum():
    engine = BulletEngine(load_preset("bullet", BulletSettings, "legacy"))
    engine.load_scene(WEIGHTLESS)
    model = replace(load_robot("nao", 0).model, linear_drag=0.0, angular_drag=0.0)
    engine.add_robot(model, (0.0, 0.0, 5.0))
    masses, speeds = [link.mass for link in model.links], np.zeros(len(model.joints))
    for name, speed in (("llj3", 6.0), ("rlj3", -4.0), ("llj4", -6.0), ("laj2", 6.0)):
        speeds[[joint.name for joint in model.joints].index(name)] = speed
    worst = 0.0
    for _ in range(8):
        engine.step(JointControl(speeds, engine.state.joint_max_effort.copy(), np.zeros(len(speeds))))
        worst = max(worst, float(np.abs(masses @ engine._rows.bodies._motion[:, :3]).max()))
    # Legs carry 5 kg m/s; the rest is the motors' softness. Without the velocities that close gaps it is 0.1.
    assert worst < 2e-3
    engine.close()
