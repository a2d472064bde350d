"""Mechanics on each engine that needs no recording: motion, forces, motors, bolted bases, rest; mostly on Bullet."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import ARM_INERTIA, ARM_WEIGHT_TORQUE, arm, solid_box, stone
from simspark_ros.arena import Arena
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, SurfaceMaterial
from simspark_ros.physics.surfaces import hardness_of
from test.rigs.engines import spatial_engine_names
from test.robots.formats.adaptation.makers import body, joint, robot

STEP = 0.02


@pytest.mark.parametrize("engine_preset", ["J1", "legacy"])
def test_touch_force_is_what_changes_the_momentum(ground):
    lab, handle = ground, ground.engine.add_robot(stone(2.0, (0.4, 0.4, 0.1)), (0.0, 0.0, 0.05), yaw=math.pi / 2)
    lab.run(50)
    lab.engine.set_velocity(handle, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    force = lab.state.rotation[0] @ lab.state.touch_force[0]
    change = 2.0 * (lab.state.linear_velocity[0] - [0.3, 0.0, 0.0]) / STEP
    # 1 % of softness: cfm gives way a little while it pushes.
    assert np.add(force, [0.0, 0.0, -2.0 * 9.81]) == pytest.approx(change, abs=0.01 * np.abs(change).max())
    assert force[0] < -5.0


@pytest.mark.parametrize("engine_name", ["ode", "mujoco"])
def test_friction_holds_what_leaves_the_ground(ground):
    # 0.5 mm deep, moving up: nothing presses it on the ground.
    handle = ground.add(stone(2.0, (0.4, 0.4, 0.1)), (0.0, 0.0, 0.0495))
    ground.engine.set_velocity(handle, (0.1, 0.0, 1.0), (0.0, 0.0, 0.0))
    ground.run(1)
    # ODE's friction has no bound: the slip of its four corners leaves 0.0232 m/s. One bound by load leaves all of it;
    # MuJoCo's with a coefficient of 20 left 0.054.
    assert ground.state.linear_velocity[0, 0] == pytest.approx(0.0232, rel=0.01)
    assert ground.state.linear_velocity[0, 2] == pytest.approx(1.0 - 9.81 * STEP, abs=1e-4)


@pytest.mark.parametrize("engine_name", spatial_engine_names())
def test_a_robot_that_is_placed_many_times_between_two_steps_keeps_its_shape(lab):
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
    assert [*empty.state.joint_velocity, *empty.state.joint_effort] == pytest.approx([0.0, 0.0], abs=1e-3)


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


@pytest.mark.parametrize(("engine_name", "degrees"), [("ode", 0.964), ("mujoco", 0.963)])
def test_hinges_tilt_where_bodies_turn_about_two_axes_at_once(empty, degrees):
    lab, handle = empty, empty.nao(z=3.0)
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
def test_legs_that_swing_push_the_torso_by_what_they_bring_from_the_last_step(empty):
    empty.nao(z=3.0)
    control = empty.hold()
    control.velocity[[empty.joint(name) for name in ("llj3", "rlj3", "llj4")]] = 6.0, -6.0, -6.0
    empty.run(7, control)
    # ODE moves the torso by -6.01 mm and leaves it with 0.007 m/s; MuJoCo's own dynamics by -5.06 mm and 0.019 m/s.
    assert 1000.0 * (empty.state.position[0, 2] - 3.0) == pytest.approx(-6.01, abs=0.05)
    assert empty.state.linear_velocity[0, 2] == pytest.approx(0.0066, abs=6e-4)


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


BOLTED = replace(arm(max_velocity=10.0, max_effort=20.0), fixed_base=True, touch_links=("base",))


def test_a_limp_arm_swings_as_a_pendulum(world: CheckedWorld) -> None:
    """It passes its lowest point after a quarter of the period of small swings."""
    world.add(BOLTED, (0.0, 0.0, 1.0))
    start = math.pi / 2 - 0.1
    world.engine.set_joint_positions(0, np.array([start]))
    angles = [start]
    for _ in range(40):
        world.run(1, JointControl(*np.zeros((3, 1))))
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
    for handle in (0, again):
        world.engine.remove_robot(handle)
    world.add(free, (0.0, 0.0, 0.5))
    world.run(50)
    assert world.state.position[0, 2] == pytest.approx(0.1, abs=0.005)


def test_a_bolted_robot_without_joints_needs_no_step(world: CheckedWorld) -> None:
    world.add(replace(stone(), fixed_base=True), (0.0, 0.0, 2.0))
    world.run(20)
    assert (world.state.position[0].tolist(), world.engine.recovered) == ([0.0, 0.0, 2.0], [])


@pytest.mark.parametrize("ground", [None, SurfaceMaterial()])
def test_a_box_of_any_weight_sinks_in_by_less_than_two_millimetres(make_world, ground: SurfaceMaterial | None) -> None:
    """PyBullet let a tonne in by 0.2 m, ODE and MuJoCo by 13 mm."""
    world = make_world(SceneModel(ground=ground))
    for number, mass in enumerate((0.01, 1.0, 100.0, 1000.0)):
        world.add(stone(mass, (0.4, 0.4, 0.2)), (3.0 * number, 0.0, 0.1))
    world.run_for(5.0)
    heights = world.state.position[:, 2]
    assert (heights > 0.098).all() and (heights <= 0.1 + 1e-6).all()
    assert (world.state.rotation[:, 2, 2] > 1.0 - 1e-6).all()


def test_the_contacts_of_usual_robots_are_those_of_the_preset() -> None:
    assert [hardness_of(mass) for mass in (1e-6, 5.0, 50.0, 51.0, 100.0, 1000.0)] == [1.0, 1.0, 1.0, 2.0, 2.0, 32.0]


def _hinge(name: str, parent: str, child: str, place: str, *numbers: float) -> str:
    lower, upper, effort, velocity = numbers
    limit = f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>'
    return joint(name, parent, child, f'<origin xyz="{place}"/>{limit}', axis="0 1 0")


def _quadruped() -> str:
    """A robot of 10 kg on four legs, whose knees have no zero: they start at their stops."""
    parts = [body("trunk", 6, '<box size="0.4 0.2 0.1"/>', moment=0.06)]
    for leg, (x, y) in enumerate(((0.2, 0.13), (0.2, -0.13), (-0.2, 0.13), (-0.2, -0.13))):
        parts += [
            body(f"thigh{leg}", 0.9, '<box size="0.03 0.03 0.2"/>', "0 0 -0.1", 0.009),
            body(f"shin{leg}", 0.2, '<sphere radius="0.02"/>', "0 0 -0.1", 0.002, "0 0 -0.2"),
            _hinge(f"hip{leg}", "trunk", f"thigh{leg}", f"{x} {y} 0", -0.7, 4.5, 24, 30),
            _hinge(f"knee{leg}", f"thigh{leg}", f"shin{leg}", "0 0 -0.2", -2.8, -0.888, 35, 20),
        ]
    return robot(*parts)


def test_legs_that_start_at_their_stops_stand(engine: str) -> None:
    """Elastic stops threw the legs off: on MuJoCo this robot jumped aside by 12 mm, Unitree's Go1 onto its back."""
    with Arena(engine=engine, world="empty") as arena:
        dog = arena.add(_quadruped())
        start = dog.position.copy()
        dog.set_positions(dog.joint_positions)
        arena.step(100)
        # The feet sink in by 1 to 2 mm.
        assert dog.position == pytest.approx(start, abs=0.0025)


def test_a_heavy_robot_does_not_creep_down_a_slope(make_world, engine: str) -> None:
    """The slip of the classic league's robots is a velocity per force: on a slope of 10 degrees this box slid 2 m.

    Engines that need softness in rows of friction let it creep, PyBullet, which has one softness for all, by 5 mm/s.
    """
    tilt = math.radians(10.0)
    world = make_world(SceneModel(gravity=(9.81 * math.sin(tilt), 0.0, -9.81 * math.cos(tilt))))
    world.add(stone(200.0, (0.4, 0.4, 0.2)), (0.0, 0.0, 0.1))
    world.run_for(5.0)
    assert abs(float(world.state.position[0, 0])) < (0.025 if engine == "bullet" else 0.002)


def test_a_motor_that_holds_a_joint_at_its_stop_does_not_press_against_it(engine: str) -> None:
    """On MuJoCo a motor that carried 59 N m at its stop pushed the stop with 1,500 N m."""
    parts = [
        body("base", 20, '<box size="0.6 0.6 0.2"/>', moment=1),
        body("arm", 20, '<box size="0.1 0.1 0.1"/>', "0 0 0.3", 0.1),
        _hinge("j", "base", "arm", '0 0 0.3" rpy="0 1.5707963 0', 0, 0.5, 2000, 1),
    ]
    with Arena(engine=engine, world="empty") as arena:
        crane = arena.add(robot(*parts), fixed_base=True)
        crane.set_positions({"j": 0.0})
        arena.step(100)
        load = 20.0 * 9.81 * 0.3
        # Motor and stop share the load, which pulls outwards or inwards.
        assert abs(float(crane.joint_efforts[0])) < 1.01 * load


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_a_heavy_body_does_not_sink_into_the_joints_of_its_leg(engine: str, kind: str) -> None:
    """On ODE each joint gave way by a millimetre or two: Atlas and Robonaut 2 sank by 6 mm, this body by 7."""
    parts = [body("body", 150, '<box size="0.4 0.4 0.3"/>', moment=5)]
    for number, parent in enumerate(("body", "part0", "part1", "part2")):
        place = f"0 0 {-0.2 if number else -0.15}"
        hinge = _hinge(f"j{number}", parent, f"part{number}", place, -1, 1, 900, 5).replace("revolute", kind)
        parts += [body(f"part{number}", 5, '<box size="0.5 0.5 0.1"/>', "0 0 -0.1", 0.2), hinge]
    with Arena(engine=engine, world="empty") as arena:
        heavy = arena.add(robot(*parts))
        start = heavy.position.copy()
        heavy.set_positions(heavy.joint_positions)
        arena.step(150)
        # What a robot at rest may in `simspark robot check`.
        assert heavy.position == pytest.approx(start, abs=0.003)
