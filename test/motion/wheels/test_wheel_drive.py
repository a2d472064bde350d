"""A cart on two rows of wheels is moved by velocity commands."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.motion.interface import Walk
from simspark_ros.motion.wheels.wheel_drive import VelocityPid, WheelDrive, WheelOdometer
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.worlds.errors import UnusableRobotError
from test.rigs.robots.cart import RADIUS, TRACK, URDF, write_cart

CYCLE = 0.02
REST = (0.0, 0.0, 0.0)


def described(tmp_path, urdf=URDF):
    return load_robot(str(write_cart(tmp_path, urdf)))


@pytest.mark.parametrize("ahead", [0.0, 0.2])
def test_turns_of_wheels_add_up_to_an_arc_about_the_middle_between_them(tmp_path, ahead):
    urdf = URDF.replace('xyz="0.09', f'xyz="{0.09 + ahead}').replace('xyz="-0.09', f'xyz="{-0.09 + ahead}')
    description = described(tmp_path, urdf=urdf)
    drive = WheelDrive.of(description, "wheels", CYCLE)
    odometer = WheelOdometer(description, drive)
    speeds = drive.update(0.0, np.zeros(4), REST, REST, Walk(0.5, 0.0, 0.8))
    angles, count = np.zeros(len(description.model.joints)), 100
    for _ in range(count + 1):
        odometer.update(angles, CYCLE)
        angles[drive.joints] += speeds * CYCLE
    turn, radius = 0.8 * count * CYCLE, 0.5 / 0.8
    middle = [ahead + radius * math.sin(turn), radius * (1.0 - math.cos(turn)), RADIUS]
    assert odometer.pose.apply(np.array([ahead, 0.0, 0.0])) == pytest.approx(middle)
    assert odometer.pose.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, turn)))
    assert odometer.linear == pytest.approx([0.5, -0.8 * ahead, 0.0])
    assert odometer.angular == pytest.approx([0.0, 0.0, 0.8])
    # A gap: the wheels' turns in it do not count, the robot's true way does.
    before = odometer.pose.position
    odometer.carry(2.0, 0.0, 0.2)
    angles += 10.0
    odometer.update(angles, CYCLE)
    way = [2.0 * math.cos(turn + 0.1), 2.0 * math.sin(turn + 0.1), 0.0]
    assert odometer.pose.position - before == pytest.approx(way)
    assert odometer.pose.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, turn + 0.2)))


def test_a_wheel_that_is_named_twice_is_refused(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text(
        "based_on: differential\neffectors: [{kind: wheels, parameters: {left: [left_wheel_joint, left_wheel_joint], "
        "right: [right_wheel_joint], radius: 0.1, track: 0.3}}]\n"
    )
    with pytest.raises(ConfigurationError, match="wheels: joint 'left_wheel_joint' is named twice"):
        WheelDrive.of(load_robot(str(path)), "wheels", CYCLE)


def test_two_rows_turn_by_the_velocity_on_either_side(tmp_path):
    drive = WheelDrive.of(described(tmp_path), "wheels", CYCLE)
    left, right = ((0.5 + side * TRACK / 2.0 * 0.8) / RADIUS for side in (-1.0, 1.0))
    assert drive.speeds(np.array([0.5, 0.0, 0.8])) == pytest.approx([left, left, right, right])
    assert drive.update(0.0, np.zeros(4), REST, REST, Walk(0.5, 0.3, 0.8)) == pytest.approx([left, left, right, right])


def test_omni_wheels_turn_by_the_velocity_along_their_rims():
    drive = WheelDrive.of(load_robot("omni"), "wheels", CYCLE)
    forward, left, turn = 0.5, -0.3, 0.8
    expected = [
        (left * math.cos(bearing) - forward * math.sin(bearing) + 0.19 * turn) / 0.06
        for bearing in (math.pi / 3, -math.pi / 3, math.pi)
    ]
    assert drive.speeds(np.array([forward, left, turn])) == pytest.approx(expected)


def test_turns_of_omni_wheels_tell_the_motion():
    drive = WheelDrive.of(load_robot("omni"), "wheels", CYCLE)
    for velocity in np.random.default_rng(1).normal(size=(20, 3)):
        assert drive.motion(drive.speeds(velocity) * CYCLE) == pytest.approx(velocity * CYCLE)


def test_a_robot_gathers_speed_by_its_acceleration_and_loses_it():
    drive, command = WheelDrive.of(load_robot("omni"), "wheels", CYCLE), Walk(0.3, 0.4, 0.4)
    velocities = [drive.motion(drive.update(0.0, np.zeros(3), REST, REST, command)) for _ in range(20)]
    # 2 m/s2 for 0.5 m/s, 8 rad/s2 for 0.4 rad/s.
    assert velocities[4] == pytest.approx([0.3 * 0.4, 0.4 * 0.4, 0.4])
    assert velocities[12:] == [pytest.approx([0.3, 0.4, 0.4])] * 8
    assert not drive.is_standing
    for _ in range(13):
        stopped = drive.update(0.0, np.zeros(3), REST, REST, None)
    assert drive.is_standing and not stopped.any()


def test_a_velocity_that_is_too_fast_for_a_wheel_keeps_its_direction(tmp_path):
    drive = WheelDrive.of(described(tmp_path), "wheels", CYCLE)
    speeds = drive.update(0.0, np.zeros(4), REST, REST, Walk(1e300, 0.0, 1e300))
    assert speeds.max() == pytest.approx(50.0)
    assert drive.motion(speeds)[0] == pytest.approx(drive.motion(speeds)[1:].max())


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        (
            {"radius": 0.1, "left": ["left1"], "right": ["middle"]},
            "unknown joint 'middle'; the robot has: left1, left2",
        ),
        ({"radius": 0.1}, "either joints of left and right wheels, or joints of omni wheels"),
        ({"radius": 0.1, "left": ["left1"]}, "either joints"),
        ({"radius": 0.1, "left": ["left1"], "right": ["right1"], "omni": ["left1"]}, "either joints"),
        ({"radius": 0.1, "omni": ["left1", "left2", "right1", "right2"]}, "three wheels on level axles"),
    ],
)
def test_wheels_that_make_no_drive_are_refused(played, tmp_path, parameters, problem):
    description = described(tmp_path)
    (effector,) = description.effectors
    changed = replace(description, effectors=(replace(effector, parameters=parameters),))
    with pytest.raises(UnusableRobotError, match=problem):
        played.world.add_robot(changed, (0.0, 0.0, description.spawn_height), 0.0, name="cart")


def test_a_pid_controller_gives_the_torque_of_its_gains():
    pid = VelocityPid((0.5, 2.0, 0.01), np.array([10.0]), CYCLE)
    wanted = np.array([4.0])
    assert pid.update(wanted, np.array([0.0])) == pytest.approx([0.5 * 4.0 + 2.0 * 4.0 * CYCLE])
    # The error falls by 1 rad/s in a cycle, and the integral has both cycles.
    assert pid.update(wanted, np.array([1.0])) == pytest.approx([0.5 * 3.0 + 2.0 * 7.0 * CYCLE - 0.01 / CYCLE])


def test_the_integral_does_not_wind_up_while_the_torque_is_at_its_limit():
    pid = VelocityPid((0.0, 1.0, 0.0), np.array([0.1]), CYCLE)
    for _ in range(1000):
        assert pid.update(np.array([5.0]), np.array([0.0]))[0] <= 0.1
    # It lets go at once.
    assert pid.update(np.array([0.0]), np.array([5.0]))[0] <= 0.0


@pytest.mark.parametrize("engine", ["planar", "bullet"])
def test_wheels_with_rollers_follow_a_velocity_by_pid_control(play, engine):
    robot = load_robot("msl")
    gains = {"pid": (0.2, 2.0, 0.0)}
    effectors = [
        replace(spec, parameters={**spec.parameters, **gains}) if spec.kind == "wheels" else spec
        for spec in robot.effectors
    ]
    robot = replace(robot, effectors=tuple(effectors))
    played = play(engine=engine, world="msl", referee=False, velocity_timeout=0.0)
    driven = played.world.add_robot(robot, (-3.0, 2.0, robot.spawn_height), 0.0, name="msl")
    known_effectors()["wheels"].act(played.world, driven, (1.0, 0.0, 0.0))
    speeds = []
    for _ in range(150):
        played.run(1)
        speeds.append(played.world.engine.state.linear_velocity[0, 0])
    # The integral makes up for what rolling costs; rollers that change make the speed uneven.
    assert np.mean(speeds[-25:]) == pytest.approx(1.0, abs=0.06)
