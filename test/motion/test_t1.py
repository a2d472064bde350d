"""The team's motions on the Booster T1, whose files come with an installed rcsssmj."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.rehearsal import Rehearsal, WholeBodyMotion
from simspark_ros.configuration.league_models import league_file
from simspark_ros.motion.adapted import classic_joints
from simspark_ros.motion.interface import Foot, Kick, Stand, Walk
from simspark_ros.motion.leg import FootPose
from simspark_ros.motion.pitch_first_leg import leg_of
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot

pytestmark = pytest.mark.skipif(league_file("T1") is None, reason="rcsssmj is not installed")


@pytest.fixture
def rehearsal():
    one = Rehearsal("mujoco", "rcssservermj", robot="T1")
    yield one
    one.close()


@pytest.mark.parametrize("side", ["l", "r"])
def test_angles_put_the_foot_where_it_is_wanted(side):
    description = load_robot("T1")
    named, indices, signs = classic_joints(description, load_motion_settings("T1").joints)
    leg = leg_of(replace(description.model, joints=named), side)
    own = {joint.name: description.model.joints[index].name for joint, index in zip(named, indices, strict=True)}
    turned = {joint.name: sign for joint, sign in zip(named, signs, strict=True)}
    left = 1.0 if side == "l" else -1.0
    foot = FootPose(0.09, left * 0.13, leg.hip[2] - leg.length + 0.06, roll=0.1, pitch=-0.15, yaw=left * 0.3)
    names = [f"{side}lj{number}" for number in range(1, 7)]
    angles = {own[name]: turned[name] * angle for name, angle in zip(names, leg.angles(foot), strict=True)}
    ankle = link_frames(description.model, angles)[f"{'left' if side == 'l' else 'right'}_foot_link"]
    sole = ankle.position + ankle.rotation @ np.array([0.0, 0.0, -leg.sole])
    # The axes of the ankle miss each other by 0.25 mm.
    assert sole == pytest.approx([foot.x, foot.y, foot.z], abs=5e-4)
    assert ankle.rotation == pytest.approx(rotation_from_rpy((foot.roll, foot.pitch, foot.yaw)), abs=1e-9)


def test_every_joint_has_gains():
    motion = WholeBodyMotion("T1", 0.02)
    assert set(motion.gains) == {joint.name for joint in load_robot("T1").model.joints}


def test_it_walks_and_turns(rehearsal):
    motion = WholeBodyMotion("T1", 0.02)
    rehearsal.run(motion, Stand(), 2.0)
    rehearsal.run(motion, Walk(0.4), 4.0)
    assert rehearsal.standing.x > 0.4 and not rehearsal.fallen
    before = rehearsal.standing.heading
    rehearsal.run(motion, Walk(turn=0.6), 2.0)
    assert math.remainder(rehearsal.standing.heading - before, math.tau) > 0.3 and not rehearsal.fallen


def test_it_walks_to_the_side(rehearsal):
    motion = WholeBodyMotion("T1", 0.02)
    rehearsal.run(motion, Stand(), 2.0)
    rehearsal.run(motion, Walk(left=0.13), 6.0)
    # 0.13 m/s once it has its speed; it starts slowly.
    assert rehearsal.standing.y > 0.4 and not rehearsal.fallen


@pytest.mark.parametrize("foot", list(Foot))
def test_it_kicks(rehearsal, foot):
    motion = WholeBodyMotion("T1", 0.02)
    rehearsal.run(motion, Stand(), 2.0)
    forward, left = motion.kick_spot(foot)
    rehearsal.world.place_ball((rehearsal.standing.x + forward, rehearsal.standing.y + left))
    before = rehearsal.world.engine.state.ball_position.copy()
    rehearsal.run(motion, Kick(foot), 5.0)
    x, y, _ = rehearsal.world.engine.state.ball_position - before
    # 4 to 8 m; a foot that only walks into the ball moves it by half a metre. Directions scatter by 15 degrees.
    assert x > 3.0 and abs(y) < 0.35 * x and not rehearsal.fallen


@pytest.mark.parametrize(("pitch", "sequences"), [(90.0, 1), (-90.0, 2)])
def test_it_gets_up(rehearsal, pitch, sequences):
    motion = WholeBodyMotion("T1", 0.02)
    half = math.radians(pitch) / 2.0
    rehearsal.world.engine.place_robot(
        rehearsal.robot.handle, (0.0, 0.0, 0.25), (0.0, math.sin(half), 0.0, math.cos(half))
    )
    rehearsal.run(motion, Stand(), 1.0)
    assert rehearsal.fallen and motion.status.fallen
    # 4.3 s from the chest; from the back it first rolls over.
    while motion.status.fallen and rehearsal.readings.time < 9.0:
        rehearsal.cycle(motion, Stand())
    assert motion.tries == sequences
    rehearsal.run(motion, Stand(), 2.5)
    assert not rehearsal.fallen and motion.motion.is_standing
