"""Robots whose base is bolted to the world: no engine moves the base, and joints carry what hangs on it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import ARM_INERTIA, ARM_WEIGHT_TORQUE, arm, solid_box, stone
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import ArticulatedModel

BOLTED = replace(arm(max_velocity=10.0, max_effort=20.0), fixed_base=True, touch_links=("base",))


def loose(world: CheckedWorld) -> JointControl:
    """The command that switches all motors off."""
    control = world.hold()
    control.effort_limit[:] = 0.0
    return control


def test_a_limp_arm_swings_as_a_pendulum(world: CheckedWorld) -> None:
    """It passes its lowest point after a quarter of the period of small swings."""
    world.add(BOLTED, (0.0, 0.0, 1.0))
    start = math.pi / 2 - 0.1
    world.engine.set_joint_positions(0, np.array([start]))
    control, angles = loose(world), [start]
    for _ in range(40):
        world.engine.step(control)
        angles.append(float(world.state.joint_position[0]))
    past = next(index for index, angle in enumerate(angles) if angle >= math.pi / 2)
    share = (math.pi / 2 - angles[past - 1]) / (angles[past] - angles[past - 1])
    quarter = math.pi / 2 * math.sqrt(ARM_INERTIA / ARM_WEIGHT_TORQUE)
    # Positions follow the velocities at the ends of steps, so the swing is half a step ahead.
    step = world.engine.cycle_time
    assert (past - 1 + share) * step == pytest.approx(quarter - step / 2, abs=5e-4)
    assert max(angles) < math.pi / 2 + 0.11


def test_what_falls_on_a_bolted_base_lies_on_it(world: CheckedWorld) -> None:
    bolted = replace(BOLTED, joints=(), fixed_joints=(), links=BOLTED.links[:1])
    world.add(bolted, (0.0, 0.0, 1.0))
    world.add(stone(), (0.0, 0.0, 1.2))
    world.run(100)
    assert world.state.position[0].tolist() == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    # The default presets' contacts of robots yield by up to 1.3 mm under a kilogram.
    assert world.state.position[1, 2] == pytest.approx(1.0 + 0.1 + 0.05, abs=0.003)
    assert world.state.touching.all()
    # The stone's weight, in the axes of each.
    assert world.state.touch_force[:, 2] == pytest.approx([-2.0 * 9.81, 2.0 * 9.81], rel=0.02)


def test_the_weight_of_a_bolted_base_is_nothing(world: CheckedWorld) -> None:
    for number, mass in enumerate((0.01, 1.0, 1000.0)):
        base = solid_box("base", mass, (0.6, 0.6, 0.2))
        world.add(replace(BOLTED, links=(base, *BOLTED.links[1:])), (3.0 * number, 0.0, 0.5))
    world.run(100)
    expected = np.array([(0.0, 0.0, 0.5), (3.0, 0.0, 0.5), (6.0, 0.0, 0.5)])
    assert world.state.position == pytest.approx(expected, abs=1e-12)
    assert world.state.joint_position == pytest.approx(np.zeros(3), abs=1e-3)


def test_robots_come_and_go_beside_a_bolted_one(world: CheckedWorld) -> None:
    """The state of a bolted robot is carried over whenever the engine makes its world anew."""
    world.engine.place_robot(world.add(BOLTED, (0.0, 0.0, 1.0)), (0.0, 0.0, 1.5), (0.0, 0.0, 1.0, 0.0))
    world.run(5)
    free = replace(BOLTED, fixed_base=False, links=(solid_box("base", 3.0, (0.6, 0.6, 0.2)), *BOLTED.links[1:]))
    other = world.add(free, (3.0, 0.0, 0.1))
    world.run(50)
    assert world.state.position[:, 2] == pytest.approx([1.5, 0.1], abs=0.005)
    assert world.state.rotation[0, 0, 0] == pytest.approx(-1.0)
    world.engine.remove_robot(other)
    again = world.add(BOLTED, (-3.0, 0.0, 2.0))
    world.run(50)
    assert world.state.position[:, 2] == pytest.approx([1.5, 2.0], abs=1e-12)
    world.engine.remove_robot(0)
    world.engine.remove_robot(again)
    world.add(free, (0.0, 0.0, 0.5))
    world.run(50)
    assert world.state.position[0, 2] == pytest.approx(0.1, abs=0.005)


def test_a_bolted_robot_without_joints_needs_no_step(world: CheckedWorld) -> None:
    world.add(
        ArticulatedModel("post", (solid_box("post", 1.0, (0.1, 0.1, 1.0)),), (), fixed_base=True), (0.0, 0.0, 2.0)
    )
    world.run(20)
    assert world.state.position[0].tolist() == [0.0, 0.0, 2.0]
    assert not world.engine.recovered
