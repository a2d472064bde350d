"""Joints that follow others, and joints that resist their motion, alike on every engine."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.models import solid_box
from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Mimic, SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.motors.commands import Motors
from test.physics.engine_availability import skip_without

CYCLE = 0.02


def crank(friction: float = 0.0, damping: float = 0.0, effort: float = 20.0) -> ArticulatedModel:
    """A heavy base with two wheels about z; the second follows the first at half its angle plus 0.2 rad."""
    inertia = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
    links = [solid_box("base", 100.0, (0.4, 0.4, 0.4))]
    joints = []
    for name, x in (("first", 1.0), ("second", -1.0)):
        links.append(Link(f"wheel_{name}", 1.0, inertia))
        joints.append(
            Joint(
                *(name, JointKind.REVOLUTE, "base", f"wheel_{name}", (x, 0.0, 0.0)),
                axis=(0.0, 0.0, 1.0),
                lower=-3.0,
                upper=3.0,
                max_velocity=5.0,
                max_effort=20.0,
            )
        )
    first = replace(joints[0], friction=friction, damping=damping, max_effort=effort)
    return ArticulatedModel("crank", tuple(links), (first, replace(joints[1], mimic=Mimic("first", 0.5, 0.2))))


@pytest.fixture(params=["bullet", "ode", "mujoco"])
def engine(request: pytest.FixtureRequest) -> PhysicsEngine:
    skip_without(request.param)
    made = create_engine(request.param, None, CYCLE)
    made.load_scene(SceneModel(gravity=(0.0, 0.0, 0.0)))
    request.addfinalizer(made.close)
    return made


def run(engine: PhysicsEngine, motors: Motors, cycles: int) -> None:
    for _ in range(cycles):
        engine.step(motors.control(engine.state, CYCLE))


def added(engine: PhysicsEngine, model: ArticulatedModel) -> Motors:
    """Motors of a world with one robot."""
    engine.add_robot(model, (0.0, 0.0, 1.0))
    motors = Motors()
    motors.rebind(engine.state)
    return motors


def test_a_follower_goes_where_its_leader_goes_whatever_it_is_told(engine: PhysicsEngine) -> None:
    motors = added(engine, crank())
    motors.set_velocities(np.array([0, 1]), np.array([2.0, -5.0]), engine.state)
    run(engine, motors, 30)
    leader, follower = engine.state.joint_position
    assert leader == pytest.approx(1.2, abs=0.05)
    # A constant speed is foreseen: what is left is what the engines' motors give way.
    assert follower == pytest.approx(0.5 * leader + 0.2, abs=0.01)
    motors.set_velocities(np.array([0]), np.array([0.0]), engine.state)
    run(engine, motors, 10)
    leader, follower = engine.state.joint_position
    assert follower == pytest.approx(0.5 * leader + 0.2, abs=0.005)


def test_friction_takes_its_part_of_an_effort(engine: PhysicsEngine) -> None:
    motors = added(engine, crank(friction=1.0))
    motors.set_efforts(np.array([0]), np.array([0.5]), engine.state)
    run(engine, motors, 20)
    # A motor weaker than the friction moves nothing.
    assert engine.state.joint_position[0] == pytest.approx(0.0, abs=1e-3)
    motors.set_efforts(np.array([0]), np.array([1.02]), engine.state)
    run(engine, motors, 10)
    # 0.02 N m are left for 0.01 kg m2: 2 rad/s2 for 0.2 s. Engines add the base's small share.
    assert engine.state.joint_velocity[0] == pytest.approx(0.4, rel=0.1)


@pytest.mark.parametrize("effort", [20.0, 0.0], ids=["limp", "without a motor"])
def test_damping_ends_a_motion(engine: PhysicsEngine, effort: float) -> None:
    motors = added(engine, crank(damping=0.05, effort=effort))
    engine.set_velocity(engine.state.handles[0], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), np.array([2.0, 0.0]))
    motors.set_efforts(np.array([0]), np.array([0.0]), engine.state)
    run(engine, motors, 10)
    # In each cycle 0.05 * 0.02 / 0.01 of the speed are lost: (1 - 0.1) ** 10.
    assert engine.state.joint_velocity[0] == pytest.approx(2.0 * 0.9**10, rel=0.1)


def test_stops_hold_followers_and_joints_without_a_motor() -> None:
    """Whatever friction they have, they do not end their motion by themselves as a motor does."""
    first, second = crank().joints
    assert first.stopping_effort == 20.0
    assert second.stopping_effort == crank(effort=0.0).joints[0].stopping_effort == math.inf
