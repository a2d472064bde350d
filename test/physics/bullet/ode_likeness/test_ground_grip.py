"""Friction on the ground with the preset `legacy`: without bound and without load, as on the classic server."""

from collections.abc import Callable

import numpy as np
import pybullet
import pytest

from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine
from test.physics.conftest import Lab

STEP, SLIP, MASS = 0.02, 0.005, 1.0
SURFACE = 0.001
"""Depth in the ground at which bodies rest, m: the preset's contact_layer."""


def block(*shapes: Shape) -> ArticulatedModel:
    """A flat body that does not tip over, with a touch sensor."""
    plate = shapes or (Shape(ShapeKind.BOX, (0.4, 0.4, 0.02)),)
    link = Link("plate", MASS, (0.02, 0.0, 0.0, 0.02, 0.0, 0.04), collisions=plate)
    return ArticulatedModel("block", (link,), (), touch_links=("plate",))


@pytest.fixture
def ground(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(SceneModel())


def slide(lab: Lab, up: float = 0.0, across: float = 3.0) -> float:
    """Speed that is left, in a step, of a block that lies on the ground and is pushed."""
    handle = lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    lab.run(5)
    lab.engine.set_velocity(handle, (across, 0.0, up), (0.0, 0.0, 0.0))
    lab.run(1)
    return float(lab.state.linear_velocity[0, 0])


def test_block_is_braked_by_the_slip_of_four_contacts_however_fast_it_is(ground):
    # v after the step is slip / 4 times the force, which is mass (v before - v after) / step. A thousandth is what the
    # block's rocking takes.
    left = 1.0 / (1.0 + STEP / (MASS * SLIP / 4.0))
    assert slide(ground) == pytest.approx(3.0 * left, rel=0.02)


def test_corner_that_leaves_the_ground_is_held_sideways_all_the_same(ground, make_lab):
    assert slide(ground, up=1.0) < 0.3
    # Friction of Bullet's knows only loaded contacts.
    assert slide(make_lab(SceneModel(), "J1"), up=1.0) == pytest.approx(3.0, abs=0.01)


def test_corner_in_the_air_is_free(ground):
    handle = ground.engine.add_robot(block(), (0.0, 0.0, 0.1))
    ground.engine.set_velocity(handle, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    ground.run(3)
    assert ground.state.linear_velocity[0, 0] == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize(
    "shapes",
    [(Shape(ShapeKind.SPHERE, (0.05,)),), (Shape(ShapeKind.CAPSULE, (0.05, 0.3), rpy=(np.pi / 2, 0.0, 0.0)),)],
    ids=["sphere", "capsule"],
)
def test_round_shapes_are_held_where_they_touch_and_roll(ground, shapes):
    handle = ground.engine.add_robot(block(*shapes), (0.0, 0.0, 0.05 - SURFACE))
    ground.run(5)
    ground.engine.set_velocity(handle, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    # Long enough to roll; later Bullet's capsule begins to rock.
    ground.run(12)
    velocity, spin = ground.state.linear_velocity[0], ground.state.angular_velocity[0]
    # It rolls: the lowest point rests. Of the speed m r^2 / (m r^2 + I) is left.
    assert velocity[0] == pytest.approx(0.05 * spin[1], abs=0.001)
    assert velocity[0] == pytest.approx(0.5 * 0.0025 / (0.0025 + 0.02), rel=0.01)


def test_rigs_of_robots_that_have_got_up_leave_the_world(ground):
    client = ground.core._client
    plates = [Shape(ShapeKind.BOX, (0.1, 0.1, 0.02), position=(0.3 * column, 0.0, 0.0)) for column in (-1, 0, 1)]
    handle = ground.engine.add_robot(block(*plates), (0.0, 0.0, 1.0))
    ground.run(1)
    in_the_air = pybullet.getNumBodies(physicsClientId=client)
    ground.engine.place_robot(handle, (0.0, 0.0, 0.01 - SURFACE), (0.0, 0.0, 0.0, 1.0))
    ground.run(5)
    # Two of the four corners of each plate are held, and a rig has four skates.
    assert pybullet.getNumBodies(physicsClientId=client) == in_the_air + 2
    ground.engine.place_robot(handle, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
    ground.run(1)
    # One spare rig a robot.
    assert pybullet.getNumBodies(physicsClientId=client) == in_the_air + 1


def test_foot_that_is_held_without_load_reports_the_middle_of_its_corners(ground):
    handle = ground.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    ground.run(5)
    ground.engine.set_velocity(handle, (3.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    ground.run(1)
    assert ground.state.touching.tolist() == [True]
    force = ground.state.rotation[0] @ ground.state.touch_force[0]
    assert force[0] < -50.0 and abs(force[2]) < 1.0
    # Two far corners hold alike.
    assert ground.state.touch_point[0, :2] == pytest.approx([0.0, 0.0], abs=0.01)


def test_foot_feels_each_corner_where_it_was_before_the_step_as_odes_does(make_lab):
    felt = []
    for engine, preset in (("ode", "reference"), ("bullet", "legacy")):
        lab = Lab(create_engine(engine, preset), SceneModel())
        handle = lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - 2.0 * SURFACE))
        lab.engine.set_velocity(handle, (0.3, 0.1, -0.02), (0.0, 0.0, 1.0))
        lab.run(1)
        felt.append(np.concatenate([lab.state.touch_point[0], 1e-3 * lab.state.touch_force[0]]))
        lab.engine.close()
    # The turn presses no corner, but it pulls at each in another direction: the middle of the foot feels nothing.
    assert abs(felt[0][:2]).max() > 0.01
    assert felt[1] == pytest.approx(felt[0], abs=5e-4)


def test_gravity_may_have_a_sideways_part(make_lab):
    lab = make_lab(SceneModel(gravity=(2.0, -1.0, -9.81)))
    lab.engine.add_robot(block(), (0.0, 0.0, 0.01 - SURFACE))
    lab.run(20)
    # It creeps by the slip of four contacts, as on a slope of ODE's.
    expected = np.array([2.0, -1.0]) * MASS * SLIP / 4.0
    assert lab.state.linear_velocity[0, :2] == pytest.approx(expected, rel=0.02, abs=1e-5)
    # The ground pushes back with what gravity pulls with.
    force = lab.state.rotation[0] @ lab.state.touch_force[0]
    assert force == pytest.approx([-2.0, 1.0, 9.81], rel=0.02)
