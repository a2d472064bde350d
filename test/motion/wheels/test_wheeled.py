"""Motions of players on wheels: speeds of the wheels, and where they have brought the robot."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.motion.interface import BodyReadings, Foot, LookAt, Shoot, Stand, Walk
from simspark_ros.motion.wheels.wheel_drive import WheelDrive, WheelOdometer
from simspark_ros.motion.wheels.wheeled import WheeledMotion
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.description import RobotError

CYCLE = 0.02
RADIUS = 0.06
HALF = math.sqrt(0.5)


def run(motion, command, cycles, angles=(0.0, 0.0, 0.0, 0.0)):
    """Let wheels turn exactly as commanded, told as angles within half a turn; returns their speeds."""
    angles = np.array(angles)
    for cycle in range(cycles):
        told = np.remainder(angles + np.pi, 2.0 * np.pi) - np.pi
        speeds = np.array(motion.update(BodyReadings(cycle * CYCLE, told.tolist()), command, LookAt()))
        angles = angles + CYCLE * speeds
    return speeds


def test_four_wheels_roll_forward_by_their_bearings():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    speeds = run(motion, Walk(1.0), 50)
    assert motion.joints == ("front_left", "front_right", "rear_left", "rear_right")
    # A wheel rolls counter-clockwise around the robot.
    assert speeds == pytest.approx(np.array([-1.0, 1.0, -1.0, 1.0]) * HALF / RADIUS)


def test_travel_is_what_the_wheels_have_turned_also_past_half_a_turn():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    run(motion, Walk(0.5, 0.3, 1.0), 100, angles=(3.0, 3.0, 3.0, 3.0))
    travel = motion.status.travel
    assert (travel.forward, travel.left, travel.turn) == pytest.approx((0.5 * CYCLE, 0.3 * CYCLE, CYCLE))


def test_a_drive_may_give_lists(monkeypatch):
    for name in ("update", "motion"):
        own = getattr(WheelDrive, name)
        monkeypatch.setattr(WheelDrive, name, lambda *arguments, own=own: own(*arguments).tolist())
    robot = load_robot("msl")
    motion, odometer = WheeledMotion(robot, CYCLE), WheelOdometer(robot, WheelDrive.of(robot, "wheels", CYCLE))
    speeds = run(motion, Walk(1.0), 50)
    angles = np.zeros(len(robot.model.joints))
    odometer.update(angles, CYCLE)
    angles[WheelDrive.of(robot, "wheels", CYCLE).joints] = CYCLE * speeds
    odometer.update(angles, CYCLE)
    assert (motion.status.travel.forward, odometer.pose.position[0]) == pytest.approx((CYCLE, CYCLE))


def test_a_shot_does_not_stop_the_robot_and_standing_does():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    before = run(motion, Walk(1.0), 50)
    assert run(motion, Shoot(5.0), 2) == pytest.approx(before)
    assert not run(motion, Stand(), 50).any()


def test_camera_and_ball_are_where_the_robots_file_has_them():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    assert motion.camera_pose([0.0] * 4)[0] == pytest.approx((0.0, 0.0, 0.72))
    assert motion.kick_spot(Foot.LEFT) == (0.285, 0.0)


def test_a_robot_without_a_camera_all_around_or_a_kicker_is_refused():
    with pytest.raises(RobotError, match="need a frame 'omni_camera'"):
        WheeledMotion(load_robot("omni"), CYCLE)
    robot = load_robot("msl")
    without = replace(robot, effectors=tuple(spec for spec in robot.effectors if spec.kind != "kicker"))
    with pytest.raises(RobotError, match="need an effector kicker"):
        WheeledMotion(without, CYCLE)


def test_robots_on_wheels_have_a_footprint_on_the_ground():
    """Navigation stacks look for `base_footprint` by default."""
    wheeled = [
        name for name in robot_names() if {spec.kind for spec in load_robot(name).effectors} & {"wheels", "synchro"}
    ]
    with Arena(world="empty", engine="ode", preset="fine") as arena:
        for place, name in enumerate(wheeled):
            arena.add(name, position=(1.5 * place, 0.0))
        arena.step(50)
        heights = [robot.link_pose("base_footprint")[0][2] for robot in arena.robots]
    # Wheels sink in a little under 122 kg.
    assert len(wheeled) >= 9 and heights == pytest.approx([0.0] * len(wheeled), abs=0.001)
