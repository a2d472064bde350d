"""The team's motions on robots of other leagues."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.players.motion.adapted import AdaptedMotion, classic_joints
from simspark_ros.players.motion.interface import Foot, Kick, Stand, Walk
from simspark_ros.players.motion.leg import FootPose, Leg
from simspark_ros.players.motion.settings import load_motion_settings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError

ROBOTS = ("nao_v6", "kidsize")


class OwnJoints:
    """Speeds of the joints that are moved, in a list of all joints of the robot."""

    def __init__(self, robot, cycle):
        self.motion = AdaptedMotion(load_robot(robot), load_motion_settings(), cycle)
        self._joints = len(load_robot(robot).model.joints)

    def update(self, readings, command, look):
        angles = np.array(readings.angles)[self.motion.index].tolist()
        speeds = np.zeros(self._joints)
        speeds[self.motion.index] = self.motion.update(replace(readings, angles=angles), command, look)
        return speeds.tolist()


@pytest.fixture
def rehearse():
    made = []

    def make(robot):
        rehearsal = Rehearsal("mujoco", None, robot=robot)
        made.append(rehearsal)
        return rehearsal, OwnJoints(robot, rehearsal.world.engine.cycle_time)

    yield make
    for rehearsal in made:
        rehearsal.close()


@pytest.mark.parametrize("robot", ROBOTS)
def test_it_walks_and_turns(rehearse, robot):
    rehearsal, motion = rehearse(robot)
    rehearsal.run(motion, Stand(), 0.6)
    rehearsal.run(motion, Walk(0.3), 3.0)
    assert rehearsal.standing.x > 0.4 and not rehearsal.fallen
    before = rehearsal.standing.heading
    rehearsal.run(motion, Walk(turn=0.8), 2.0)
    assert math.remainder(rehearsal.standing.heading - before, math.tau) > 0.5 and not rehearsal.fallen


@pytest.mark.parametrize("robot", ROBOTS)
def test_it_kicks_the_ball_forward(rehearse, robot):
    rehearsal, motion = rehearse(robot)
    rehearsal.run(motion, Stand(), 1.0)
    forward, left = motion.motion.kick_spot(Foot.RIGHT)
    start = (rehearsal.standing.x + forward, rehearsal.standing.y + left)
    rehearsal.world.place_ball(start)
    rehearsal.run(motion, Kick(Foot.RIGHT), 4.0)
    assert rehearsal.world.engine.state.ball_position[0] - start[0] > 0.8
    assert not rehearsal.fallen


@pytest.mark.parametrize("side", "lr")
def test_hips_with_upright_axes_put_the_foot_where_it_is_wanted(side):
    description = load_robot("kidsize")
    joints, indices, signs = classic_joints(description)
    own = {joint.name: description.model.joints[index].name for joint, index in zip(joints, indices, strict=True)}
    turned = {joint.name: sign for joint, sign in zip(joints, signs, strict=True)}
    leg = Leg.of(replace(description.model, joints=joints), side)
    left = 1.0 if side == "l" else -1.0
    foot = FootPose(0.03, left * 0.07, leg.hip[2] - leg.length + 0.06, roll=0.1, pitch=-0.15, yaw=left * 0.4)
    names = [f"{side}lj{number}" for number in range(1, 7)]
    angles = {own[name]: turned[name] * angle for name, angle in zip(names, leg.angles(foot), strict=True)}
    sole = link_frames(description.model, angles)[f"{side}_sole"]
    # Exact but for rounding.
    assert sole.position == pytest.approx([foot.x, foot.y, foot.z], abs=1e-9)


def test_kidsize_has_twenty_joints_of_its_own_and_the_leagues_size():
    model = load_robot("kidsize").model
    assert len(model.joints) == 20
    assert 3.0 < model.mass < 6.0
    heights = [frame.position[2] for frame in link_frames(model).values()]
    assert 0.4 < max(heights) - min(heights) < 1.0


def test_a_robot_with_another_body_is_refused():
    with pytest.raises(RobotError, match="no joint moves a link"):
        AdaptedMotion(load_robot("sphere"), load_motion_settings())
