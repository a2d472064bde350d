"""Hinge drift on PyBullet: the gaps it computes, where they are seen, and the rest, which stays as it was."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
from simspark_ros.physics.presets import load_preset

STEP = 0.02


@pytest.fixture
def make() -> Iterator[Callable[[], BulletEngine]]:
    """Makes weightless worlds with drift, and motors and contacts as soft as ODE's."""
    made: list[BulletEngine] = []

    def make_engine() -> BulletEngine:
        preset = load_preset("bullet", BulletSettings, "J1")
        engine = BulletEngine(replace(preset, hinge_drift=1, cfm=1e-4))
        engine.load_scene(SceneModel(gravity=(0.0, 0.0, 0.0)))
        made.append(engine)
        return engine

    yield make_engine
    for engine in made:
        engine.close()


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
    # Some millimetres, towards the outside: the body moved along the tangent.
    assert 0.003 < abs(drift) < 0.006


def test_what_is_fixed_to_a_link_is_shifted_with_it(make):
    engine = make()
    handle = engine.add_robot(ROD, (0.0, 0.0, 5.0))
    turning(engine, 6.0, 20)
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
