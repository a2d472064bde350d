"""A cart on two rows of wheels is moved by velocity commands."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.effectors import EFFECTORS
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.players.motion.interface import Walk
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.velocity.wheel_drive import WheelDrive, WheelOdometer
from simspark_ros.worlds.errors import UnusableRobotError
from test.rigs.cart import RADIUS, URDF, write_cart

CYCLE = 0.02
REST = (0.0, 0.0, 0.0)


def described(tmp_path, right="right2", urdf=URDF):
    return load_robot(str(write_cart(tmp_path, right, urdf)))


def cart(played, tmp_path, right="right2"):
    description = described(tmp_path, right)
    return played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0, name="cart")


def roll(played, robot, seconds, forward, turn):
    for cycle in range(round(seconds / played.world.engine.cycle_time)):
        if cycle % 5 == 0:
            EFFECTORS["wheels"].act(played.world, robot, (forward, 0.0, turn))
        played.run(1)


def heading(played):
    rotation = played.world.engine.state.rotation[0]
    return math.atan2(rotation[1, 0], rotation[0, 0])


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco", "planar"])
def test_a_cart_rolls_turns_and_stops(play, tmp_path, engine):
    played = play(engine=engine, referee=False)
    robot = cart(played, tmp_path)
    odometer = WheelOdometer(robot.description)
    odometer.update(played.world.engine.state.joint_position, CYCLE)
    roll(played, robot, 2.0, 0.5, 0.0)
    assert played.world.engine.state.position[0, :2] == pytest.approx([1.0, 0.0], abs=0.1)
    odometer.update(played.world.engine.state.joint_position, CYCLE)
    # Wheels slip while they gather speed.
    assert odometer.pose.position == pytest.approx(played.world.engine.state.position[0], abs=0.05)
    roll(played, robot, 2.0, 0.0, 0.6)
    # Four wheels slip sideways in a turn.
    assert 0.4 < heading(played) < 1.25
    played.run(50)
    stopped = played.world.engine.state.position[0].copy()
    played.run(25)
    assert played.world.engine.state.position[0] == pytest.approx(stopped, abs=0.01)
    assert np.abs(played.world.engine.state.joint_velocity).max() < 0.05


@pytest.mark.parametrize("ahead", [0.0, 0.2])
def test_turns_of_wheels_add_up_to_an_arc_about_the_middle_between_them(tmp_path, ahead):
    urdf = URDF.replace('xyz="0.09', f'xyz="{0.09 + ahead}').replace('xyz="-0.09', f'xyz="{-0.09 + ahead}')
    description = described(tmp_path, urdf=urdf)
    drive, odometer = WheelDrive(description), WheelOdometer(description)
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
    odometer.pause()
    angles += 10.0
    odometer.update(angles, CYCLE)
    assert odometer.pose.apply(np.array([ahead, 0.0, 0.0])) == pytest.approx(middle)


def test_wheels_are_joints_of_the_robot(played, tmp_path):
    with pytest.raises(UnusableRobotError, match="wheels: there is no joint 'middle'; there are: left1, left2"):
        cart(played, tmp_path, right="middle")
