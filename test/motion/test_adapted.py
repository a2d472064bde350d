"""The team's motions on robots of other leagues."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.rehearsal import Rehearsal, WholeBodyMotion
from simspark_ros.motion.adapted import AdaptedMotion, classic_joints
from simspark_ros.motion.interface import Foot, Kick, Stand, Walk
from simspark_ros.motion.leg import FootPose, Leg
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError

ROBOTS = ("nao_v6", "kidsize")

TILT = 5.0
"""Tilt of robots that are dropped to lie, degrees."""


@pytest.fixture
def rehearse():
    made = []

    def make(robot, engine="mujoco"):
        rehearsal = Rehearsal(engine, None, robot=robot)
        made.append(rehearsal)
        return rehearsal, WholeBodyMotion(robot, rehearsal.world.engine.cycle_time)

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
    forward, left = motion.kick_spot(Foot.RIGHT)
    start = (rehearsal.standing.x + forward, rehearsal.standing.y + left)
    rehearsal.world.place_ball(start)
    rehearsal.run(motion, Kick(Foot.RIGHT), 4.0)
    assert rehearsal.world.engine.state.ball_position[0] - start[0] > 0.8
    assert not rehearsal.fallen


@pytest.mark.parametrize("engine", ["bullet", "mujoco", "ode"])
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize(("side", "pitch", "sequences"), [("chest", 90.0, 1), ("back", -90.0, 2)])
def test_it_gets_up_at_the_first_try(rehearse, robot, engine, side, pitch, sequences):
    rehearsal, motion = rehearse(robot, engine)
    half = math.radians(pitch + TILT) / 2.0
    lying = (0.0, math.sin(half), 0.0, math.cos(half))
    rehearsal.world.engine.place_robot(rehearsal.robot.handle, (0.0, 0.0, 0.15), lying)
    rehearsal.run(motion, Stand(), 1.0)
    assert rehearsal.fallen and motion.status.fallen
    # Sequences take 7 s from the chest and 10 s from the back.
    while motion.status.fallen and rehearsal.readings.time < 12.0:
        rehearsal.cycle(motion, Stand())
    # From the back, it rolls onto the chest first.
    assert motion.tries == sequences
    rehearsal.run(motion, Walk(0.2), 2.0)
    assert not rehearsal.fallen and motion.tries == 0


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


def test_robots_without_motions_of_their_own_have_the_nao_s():
    assert load_motion_settings("nao_v6") != load_motion_settings() == load_motion_settings("nao_lola")
    # A file of tactics, not of motions.
    assert load_motion_settings("team") == load_motion_settings()
    assert load_motion_settings("nao", calm=True).gait == load_motion_settings("nao_v6").gait


def test_a_robot_with_another_body_is_refused():
    with pytest.raises(RobotError, match="no joint moves a link"):
        AdaptedMotion(load_robot("sphere"), load_motion_settings())
