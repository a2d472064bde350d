"""Physics, mostly on Bullet, that needs no recording: analytic motion, contact forces, motors of general robots."""

import math

import numpy as np
import pytest

from simspark_conformance.models import arm, solid_box, stone
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
from test.rigs.engines import spatial_engine_names

STEP = 0.02


@pytest.mark.parametrize("preset", ["J1", "legacy"])
def test_touch_force_is_what_changes_the_momentum(make_lab, preset):
    lab = make_lab(SceneModel(), preset)
    handle = lab.engine.add_robot(stone(2.0, (0.4, 0.4, 0.1)), (0.0, 0.0, 0.05), yaw=math.pi / 2)
    lab.run(50)
    lab.engine.set_velocity(handle, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    force = lab.state.rotation[0] @ lab.state.touch_force[0]
    change = 2.0 * (lab.state.linear_velocity[0] - [0.3, 0.0, 0.0]) / STEP
    # 1 % of softness: cfm gives way a little while it pushes.
    assert np.add(force, [0.0, 0.0, -2.0 * 9.81]) == pytest.approx(change, abs=0.01 * np.abs(change).max())
    assert force[0] < -5.0


@pytest.mark.parametrize("engine_name", ["ode", "mujoco"])
def test_friction_holds_what_leaves_the_ground(make_lab):
    lab = make_lab(SceneModel())
    # 0.5 mm deep, moving up: nothing presses it on the ground.
    handle = lab.engine.add_robot(stone(2.0, (0.4, 0.4, 0.1)), (0.0, 0.0, 0.0495))
    lab.engine.set_velocity(handle, (0.1, 0.0, 1.0), (0.0, 0.0, 0.0))
    lab.run(1)
    # ODE's friction has no bound: the slip of its four corners leaves 0.0232 m/s. One bound by load leaves all of it;
    # MuJoCo's with a coefficient of 20 left 0.054.
    assert lab.state.linear_velocity[0, 0] == pytest.approx(0.0232, rel=0.01)
    assert lab.state.linear_velocity[0, 2] == pytest.approx(1.0 - 9.81 * STEP, abs=1e-4)


@pytest.mark.parametrize("engine_name", spatial_engine_names())
def test_a_robot_that_is_placed_many_times_between_two_steps_keeps_its_shape(make_lab):
    lab = make_lab(SceneModel())
    handle = lab.nao()
    lab.run(20)
    before = lab.state.joint_position.copy()
    for number in range(200):
        lab.engine.place_robot(handle, (0.1 * number, 0.0, 1.0), (0.0, 0.6, 0.0, 0.8))
    lab.run(1)
    # ODE's process used to end here.
    assert lab.state.joint_position == pytest.approx(before, abs=0.02)
    assert lab.state.position[0] == pytest.approx([19.9, 0.0, 1.0], abs=0.01)


def test_effort_adds_to_the_motor(empty):
    empty.engine.add_robot(arm(max_effort=1.0), (0.0, 0.0, 5.0))
    control = empty.hold()
    control.effort[:] = 0.5
    empty.run(20, control)
    # The motor holds against it.
    assert empty.state.joint_velocity[0] == pytest.approx(0.0, abs=1e-3)
    assert empty.state.joint_effort[0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("engine_name", "preset", "drifts", "closed"),
    # Closed: 0.8^60 of the gap, and what a standing robot trembles; else rounding.
    [
        ("ode", None, True, 1e-4),
        ("mujoco", None, True, 1e-5),
        ("mujoco", "rigid20", False, 1e-9),
        ("bullet", None, False, 1e-7),
        ("bullet", "legacy", True, 1e-4),
    ],
)
def test_hinges_come_apart_in_motion_and_close_at_rest_if_they_drift(make_lab, preset, drifts, closed):
    lab = make_lab(preset=preset)
    handle = lab.nao()
    assert lab.hinge_gaps(handle).max() < 1e-9
    lab.run(50)
    lab.turn("laj1", 6.0, 10)
    lab.turn("laj4", -4.0, 4)
    gap = lab.hinge_gaps(handle).max()
    # (h^2 / 2) w^2 r / ERP with w = 4 rad/s and r = 0.05 m: 1 mm in a steady turn.
    assert (0.0005 < gap < 0.01) if drifts else gap < closed
    lab.run(60)
    assert lab.hinge_gaps(handle).max() < closed


@pytest.mark.parametrize(("engine_name", "preset", "degrees"), [("ode", None, 0.964), ("mujoco", None, 0.963)])
def test_hinges_tilt_where_bodies_turn_about_two_axes_at_once(make_lab, preset, degrees):
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)), preset)
    handle = lab.nao(z=3.0)
    control = lab.hold()
    control.velocity[[lab.joint("hj1"), lab.joint("hj2")]] = 6.0, 4.0
    lab.run(6, control)
    nod = next(joint for joint in lab.state.models[0].joints if joint.name == "hj2")
    _, (neck, head) = lab.poses(handle, nod.parent, nod.child)
    untilted = neck @ rotation_about(nod.axis, float(lab.state.joint_position[lab.joint("hj2")]))
    cosine = (np.sum(head * untilted) - 1.0) / 2.0
    # 0.28 degrees (h^2 / 2 times 24 rad2/s2) a cycle, of which every further one takes back a fifth.
    assert np.degrees(np.arccos(cosine)) == pytest.approx(degrees, abs=0.002)


@pytest.mark.parametrize("engine_name", ["ode", "mujoco"])
def test_legs_that_swing_push_the_torso_by_what_they_bring_from_the_last_step(make_lab):
    lab = make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)))
    lab.nao(z=3.0)
    control = lab.hold()
    control.velocity[[lab.joint(name) for name in ("llj3", "rlj3", "llj4")]] = 6.0, -6.0, -6.0
    lab.run(7, control)
    # ODE moves the torso by -6.01 mm and leaves it with 0.007 m/s; MuJoCo's own dynamics by -5.06 mm and 0.019 m/s.
    assert 1000.0 * (lab.state.position[0, 2] - 3.0) == pytest.approx(-6.01, abs=0.05)
    assert lab.state.linear_velocity[0, 2] == pytest.approx(0.0066, abs=6e-4)


def test_wheels_on_a_base_that_just_stands_turn_by_their_speed(world):
    speeds = np.array([20.0, 50.0, 100.0, 400.0])
    links = solid_box("base", 20.0, (0.6, 0.6, 0.2)), Link("wheel", 0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 2e-3))
    for number, speed in enumerate(speeds.tolist()):
        axle = Joint("axle", JointKind.CONTINUOUS, "base", "wheel", axis=(0.0, 0.0, 1.0), max_velocity=speed)
        world.add(ArticulatedModel("wheel", links, (axle,)), (2.0 * number, 0.0, 0.1))
    control = world.hold()
    control.velocity[:] = speeds
    world.run(50, control)
    before = world.state.joint_position.copy()
    world.run(50, control)
    # The base, 600 times as heavy to turn, and the motor's softness take up to 0.3 % of the speed.
    turned = (world.state.joint_position - before) / (50 * world.engine.cycle_time)
    assert turned == pytest.approx(speeds, rel=0.003)
    assert world.state.joint_velocity == pytest.approx(speeds, rel=0.003)
