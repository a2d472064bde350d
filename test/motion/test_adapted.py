"""The team's motions on robots of other leagues; the files of the Booster T1 come with an installed rcsssmj."""

import math
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import product

import pytest

from benchmarks.rehearsal import Rehearsal, WholeBodyMotion
from simspark_ros.configuration.league_models import league_file
from simspark_ros.motion.adapted import AdaptedMotion, classic_joints
from simspark_ros.motion.interface import Foot, Kick, Stand, Walk
from simspark_ros.motion.leg import FootPose
from simspark_ros.motion.pitch_first_leg import leg_of
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError

T1 = pytest.param("T1", marks=pytest.mark.skipif(league_file("T1") is None, reason="rcsssmj is not installed"))
ROBOTS = ("nao_v6", "kidsize", T1)
PRESETS = {"T1": "rcssservermj"}

TILT = 5.0
"""Tilt of robots that are dropped to lie, degrees."""


@pytest.fixture
def rehearse():
    with ExitStack() as made:

        def make(robot, engine="mujoco"):
            rehearsal = made.enter_context(closing(Rehearsal(engine, PRESETS.get(robot), robot=robot)))
            return rehearsal, WholeBodyMotion(robot, rehearsal.world.engine.cycle_time)

        yield make


@pytest.mark.parametrize("robot", ROBOTS)
def test_it_walks_and_turns(rehearse, robot):
    rehearsal, motion = rehearse(robot)
    rehearsal.run(motion, Stand(), 2.0)
    rehearsal.run(motion, Walk(0.4), 3.5)
    assert rehearsal.standing.x > 0.4 and not rehearsal.fallen
    before = rehearsal.standing.heading
    rehearsal.run(motion, Walk(turn=0.8), 2.0)
    assert math.remainder(rehearsal.standing.heading - before, math.tau) > 0.5 and not rehearsal.fallen


@pytest.mark.parametrize("robot", [T1])
def test_it_walks_to_the_side(rehearse, robot):
    rehearsal, motion = rehearse(robot)
    rehearsal.run(motion, Stand(), 2.0)
    rehearsal.run(motion, Walk(left=0.13), 6.0)
    # 0.13 m/s once it has its speed; it starts slowly.
    assert rehearsal.standing.y > 0.4 and not rehearsal.fallen


@pytest.mark.parametrize(
    ("robot", "foot", "far"),
    # 4 to 8 m on the T1, where a foot that only walks into the ball moves it by half a metre.
    [
        *(("nao_v6", Foot.RIGHT, 0.8), ("kidsize", Foot.RIGHT, 0.8)),
        *(pytest.param("T1", foot, 3.0, marks=T1.marks) for foot in Foot),
    ],
)
def test_it_kicks_the_ball_forward(rehearse, robot, foot, far):
    rehearsal, motion = rehearse(robot)
    rehearsal.run(motion, Stand(), 2.0)
    forward, left = motion.kick_spot(foot)
    rehearsal.world.place_ball((rehearsal.standing.x + forward, rehearsal.standing.y + left))
    before = rehearsal.world.engine.state.ball_position.copy()
    rehearsal.run(motion, Kick(foot), 5.0)
    x, y, _ = rehearsal.world.engine.state.ball_position - before
    # Directions scatter by 15 degrees.
    assert x > far and abs(y) < 0.35 * x and not rehearsal.fallen


@pytest.mark.parametrize(
    ("robot", "engine"),
    # The motors of the T1 are MuJoCo's.
    [*product(("nao_v6", "kidsize"), ("bullet", "mujoco", "ode")), pytest.param("T1", "mujoco", marks=T1.marks)],
)
@pytest.mark.parametrize(("side", "pitch", "sequences"), [("chest", 90.0, 1), ("back", -90.0, 2)])
def test_it_gets_up_at_the_first_try(rehearse, robot, engine, side, pitch, sequences):
    rehearsal, motion = rehearse(robot, engine)
    half = math.radians(pitch + TILT) / 2.0
    lying = (0.0, math.sin(half), 0.0, math.cos(half))
    rehearsal.world.engine.place_robot(rehearsal.robot.handle, (0.0, 0.0, 0.25), lying)
    rehearsal.run(motion, Stand(), 1.0)
    assert rehearsal.fallen and motion.status.fallen
    # Sequences take 7 s from the chest and 10 s from the back, on the T1 4.3 s and, as it first rolls over, more.
    while motion.status.fallen and rehearsal.readings.time < 12.0:
        rehearsal.cycle(motion, Stand())
    # From the back, it rolls onto the chest first.
    assert motion.tries == sequences
    rehearsal.run(motion, Walk(0.2), 2.0)
    assert not rehearsal.fallen and motion.tries == 0


@pytest.mark.parametrize("side", "lr")
@pytest.mark.parametrize(
    ("robot", "x", "y", "off"),
    # Exact but for rounding; the axes of the T1's ankle miss each other by 0.25 mm.
    [("kidsize", 0.03, 0.07, 1e-9), pytest.param("T1", 0.09, 0.13, 5e-4, marks=T1.marks)],
)
def test_angles_put_the_foot_where_it_is_wanted(side, robot, x, y, off):
    description, left = load_robot(robot), 1.0 if side == "l" else -1.0
    joints, indices, signs = classic_joints(description, load_motion_settings(robot).joints)
    own = {joint.name: description.model.joints[index].name for joint, index in zip(joints, indices, strict=True)}
    turned = {joint.name: sign for joint, sign in zip(joints, signs, strict=True)}
    leg = leg_of(replace(description.model, joints=joints), side)
    foot = FootPose(x, left * y, leg.hip[2] - leg.length + 0.06, roll=0.1, pitch=-0.15, yaw=left * 0.3)
    names = [f"{side}lj{number}" for number in range(1, 7)]
    angles = {own[name]: turned[name] * angle for name, angle in zip(names, leg.angles(foot), strict=True)}
    foot_link = next(joint.child for joint in joints if joint.name == f"{side}lj6")
    ankle = link_frames(description.model, angles)[foot_link]
    sole = ankle.position + ankle.rotation @ (0.0, 0.0, -leg.sole)
    assert sole == pytest.approx([foot.x, foot.y, foot.z], abs=off)
    assert ankle.rotation == pytest.approx(rotation_from_rpy((foot.roll, foot.pitch, foot.yaw)), abs=1e-9)


@pytest.mark.parametrize("robot", [T1])
def test_every_joint_has_gains(robot):
    motion = WholeBodyMotion(robot, 0.02)
    assert set(motion.gains) == {joint.name for joint in load_robot(robot).model.joints}


def test_kidsize_has_joints_and_size_of_its_own_and_others_have_the_nao_s_motions():
    model = load_robot("kidsize").model
    assert len(model.joints) == 20 and 3.0 < model.mass < 6.0
    heights = [frame.position[2] for frame in link_frames(model).values()]
    assert 0.4 < max(heights) - min(heights) < 1.0
    assert load_motion_settings("nao_v6") != load_motion_settings() == load_motion_settings("nao_lola")
    # A file of tactics, not of motions.
    assert load_motion_settings("team") == load_motion_settings()
    assert load_motion_settings("nao", calm=True).gait == load_motion_settings("nao_v6").gait
    with pytest.raises(RobotError, match="no joint that moves link"):
        AdaptedMotion(load_robot("sphere"), load_motion_settings())
