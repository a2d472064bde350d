"""Walks, kicks, falls and getting up of the Nao on the default engine; kinematics of its legs, postures by name."""

import itertools
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.motion.footing import TiltError
from simspark_ros.motion.gait import Gait
from simspark_ros.motion.interface import Activity, BodyReadings, Dive, Foot, Kick, LookAt, Stand, Walk
from simspark_ros.motion.keyframes import Keyframe, Playback, angles_of, mirrored
from simspark_ros.motion.leg import FootPose, Leg
from simspark_ros.motion.nao import NaoMotion, Recovery
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot
from test.motion.conftest import motion_of
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize("variant", range(5))
def test_every_type_walks_forward_without_falling(rehearse, variant):
    rehearsal, motion = rehearse(variant)
    rehearsal.run(motion, Walk(forward=0.3), 5.0)
    assert not rehearsal.fallen
    # 1.5 m less the start and slipping feet: measured 0.75 to 1.3.
    assert rehearsal.standing.x > 0.6
    assert abs(rehearsal.standing.y) < 0.4


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_it_walks_as_far_in_shorter_cycles(rehearse, engine):
    skip_without(engine)
    rehearsal, motion = rehearse(engine=engine, preset="lola12")
    rehearsal.run(motion, Walk(forward=0.3), 5.0)
    assert not rehearsal.fallen
    # Measured 1.11 and 1.25, in 20 ms 1.17 and 1.42; a gait that took 12 ms for 20 would go 2 m.
    assert rehearsal.standing.x == pytest.approx(1.2, abs=0.2)
    assert abs(rehearsal.standing.y) < 0.4


def test_travel_adds_up_to_where_the_robot_went(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 1.0)
    x = y = heading = 0.0
    for cycle in range(400):
        rehearsal.cycle(motion, Walk(forward=0.3, turn=0.4 if cycle < 200 else -0.4))
        travel = motion.status.travel
        x += travel.forward * math.cos(heading) - travel.left * math.sin(heading)
        y += travel.forward * math.sin(heading) + travel.left * math.cos(heading)
        heading += travel.turn
    there = rehearsal.standing
    # Readings are two cycles late, and the gyroscope feels the sway of each step.
    assert heading == pytest.approx(there.heading, abs=0.1)
    # 2 m of way; feet slip up to a fifth more or less than in the mean.
    assert math.hypot(x - there.x, y - there.y) < 0.45


def test_it_stops_beside_where_it_is_told_to_and_stands(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Walk(forward=0.3), 2.0)
    rehearsal.run(motion, Stand(), 2.0)
    there = rehearsal.standing
    rehearsal.run(motion, Stand(), 1.0)
    # Soft contacts creep by less than that.
    assert rehearsal.standing.x == pytest.approx(there.x, abs=0.01)
    assert motion.status.activity.value == "standing"


def test_feet_move_without_jumps_whatever_is_commanded():
    gait = Gait(load_motion_settings().gait, 0.055)
    commands = [Walk(forward=9.0), Walk(left=-9.0, turn=9.0), None, Walk(forward=-9.0, turn=-9.0), None]
    previous = None
    for command in commands:
        for _ in range(150):
            gait.update(command, TiltError(), 0.02)
            sway = gait.posture.sway
            places = [(foot.x, foot.y - sway, foot.lift, 0.1 * foot.yaw) for foot in (gait.left, gait.right)]
            # A swinging foot covers two steps' lengths (0.2 m) in ten cycles, at most 1.6 times as fast in the middle.
            assert previous is None or np.abs(np.array(places) - previous).max() < 0.035
            previous = np.array(places)
    assert not gait.walking


def test_readings_that_are_not_finite_are_replaced(rehearse):
    motion = motion_of()
    good = BodyReadings(0.0, (0.1,) * 22)
    motion.update(good, Stand(), LookAt())
    bad = BodyReadings(0.02, (float("nan"),) * 22, gyro=(float("inf"), 0.0, 0.0))
    speeds = motion.update(bad, Stand(), LookAt())
    assert all(abs(speed) <= 6.2 for speed in speeds)
    assert motion.update(good, Stand(), LookAt()) is not None
    assert abs(motion.status.roll) < 0.1


def kick(rehearsal: Rehearsal, motion: NaoMotion, foot: Foot, strength: float = 1.0) -> tuple[float, float]:
    """How far the ball went from the spot, (forward, left) m."""
    rehearsal.run(motion, Stand(), 0.8)
    standing = rehearsal.standing
    forward, left = motion.kick_spot(foot)
    # The robot still stands at the centre with its heading along +x, but for millimetres.
    spot = np.array([standing.x + forward, standing.y + left])
    rehearsal.world.place_ball((float(spot[0]), float(spot[1])))
    rehearsal.run(motion, Kick(foot, strength), 5.0)
    forward, left = (rehearsal.world.engine.state.ball_position[:2] - spot).tolist()
    return forward, left


@pytest.mark.parametrize("foot", Foot)
def test_a_kick_moves_the_ball_straight_ahead(rehearse, foot):
    rehearsal, motion = rehearse()
    forward, left = kick(rehearsal, motion, foot)
    assert forward > 1.5
    # Within 15 degrees.
    assert abs(left) < 0.27 * forward
    assert not rehearsal.fallen


def test_a_weak_kick_goes_less_far(rehearse):
    distances = []
    for strength in (0.2, 1.0):
        rehearsal, motion = rehearse()
        distances.append(kick(rehearsal, motion, Foot.LEFT, strength)[0])
    weak, full = distances
    assert 0.1 < weak < 0.8 * full


def test_one_command_is_one_kick(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 0.8)
    kicking = []
    for _ in range(250):
        rehearsal.cycle(motion, Kick(Foot.LEFT))
        kicking.append(motion.status.activity is Activity.KICKING)
        assert motion.status.may_change != kicking[-1]
    assert sum(now and not before for before, now in pairwise([False, *kicking])) == 1


def sole_of(variant, side, angles):
    joints = {f"{side}lj{number}": angle for number, angle in enumerate(angles, start=1)}
    return link_frames(load_robot("nao", variant).model, joints)[f"{side}_sole"]


@pytest.mark.parametrize("variant", range(5))
@pytest.mark.parametrize("side", "lr")
def test_angles_put_the_foot_where_it_is_wanted(variant, side):
    leg = Leg.of(load_robot("nao", variant).model, side)
    random = np.random.default_rng(variant)
    for _ in range(20):
        foot = FootPose(
            x=random.uniform(-0.04, 0.04),
            y=math.copysign(1.0, leg.hip[1]) * (leg.hip[1] + random.uniform(-0.02, 0.03)),
            z=leg.hip[2] - leg.length + random.uniform(0.045, 0.1),
            roll=random.uniform(-0.2, 0.2),
            pitch=random.uniform(-0.2, 0.2),
            yaw=math.copysign(1.0, leg.hip[1]) * random.uniform(0.0, 0.8),
        )
        sole = sole_of(variant, side, leg.angles(foot))
        # Exact but for rounding.
        assert sole.position == pytest.approx(np.array([foot.x, foot.y, foot.z]), abs=1e-9)
        assert sole.rotation == pytest.approx(rotation_from_rpy((foot.roll, foot.pitch, foot.yaw)), abs=1e-9)


def test_a_foot_out_of_reach_gets_a_straight_leg_in_its_direction_and_one_at_the_hip_finite_angles():
    leg = Leg.of(load_robot("nao", 0).model, "l")
    sole = sole_of(0, "l", leg.angles(FootPose(leg.hip[0], leg.hip[1], -9.0)))
    # The stretched leg hangs below the hip; its length is known to rounding.
    assert sole.position == pytest.approx(np.array([leg.hip[0], leg.hip[1], leg.hip[2] - leg.length]), abs=1e-9)
    assert np.isfinite(leg.angles(FootPose(*leg.hip))).all()


# Rotations about the world's y axis, x y z w.
LYING = {"on the chest": (0.0, HALF := math.sqrt(0.5), 0.0, HALF), "on the back": (0.0, -HALF, 0.0, HALF)}


def run_until_standing(rehearsal, motion):
    # A sequence takes 2 s and succeeds in two of three tries or more often: 20 s are ample.
    for _ in range(20):
        rehearsal.run(motion, Stand(), 1.0)
        if motion.status.activity is Activity.STANDING and motion.tries == 0:
            break
    assert motion.status.activity is Activity.STANDING and not rehearsal.fallen


@pytest.mark.parametrize("posture", LYING)
def test_a_robot_that_lies_gets_up_and_walks_on(rehearse, posture):
    rehearsal, motion = rehearse()
    rehearsal.world.engine.place_robot(rehearsal.robot.handle, (0.0, 0.0, 0.1), LYING[posture])
    rehearsal.run(motion, Stand(), 1.5)
    assert rehearsal.fallen and motion.status.fallen and not motion.status.may_change
    run_until_standing(rehearsal, motion)
    before = rehearsal.standing
    rehearsal.run(motion, Walk(forward=0.2), 2.0)
    assert not rehearsal.fallen
    assert math.hypot(rehearsal.standing.x - before.x, rehearsal.standing.y - before.y) > 0.15


@pytest.mark.parametrize("variant", [0, 4])
@pytest.mark.parametrize("engine", ["bullet", "mujoco", "ode"])
def test_pushed_over_while_it_walks_it_gets_up_at_the_first_try(rehearse, variant, engine):
    skip_without(engine)
    tries = []
    for seconds in (1.6, 1.8, 2.0, 2.2):
        rehearsal, motion = rehearse(variant, engine)
        rehearsal.run(motion, Walk(forward=0.3), seconds)
        for _ in range(8):
            rehearsal.world.engine.set_velocity(rehearsal.robot.handle, (3.0, 0.0, 0.3), (0.0, 4.0, 0.0))
            rehearsal.cycle(motion, Stand())
        most = 0
        while rehearsal.readings.time < seconds + 5.0:
            rehearsal.cycle(motion, Stand())
            most = max(most, motion.tries)
        assert most
        tries.append(most)
    # 95 of 96 pushes on the three engines; of four, one may fail on another processor.
    assert sorted(tries)[:3] == [1, 1, 1]


def played(recovery, up):
    """Plays a sequence; the last targets and the seconds that it took."""
    targets, cycles = recovery.update([0.0], up, (0.0, 0.0, 0.0), 0.02), 0
    while recovery.playing:
        targets, cycles = recovery.update([0.0], up, (0.0, 0.0, 0.0), 0.02), cycles + 1
    return math.degrees(targets[0]), cycles * 0.02


@pytest.fixture
def recovery():
    front, back = (Keyframe(1.0, {"lj3": 10.0}),), (Keyframe(1.0, {"lj3": 20.0}),)
    return recovery_with(front=front, back=back)


def recovery_with(**sequences):
    settings = {"chest": (), "side": (), **sequences}
    return Recovery(replace(load_motion_settings().fall, **settings), ["llj3"], 0.27)


def test_the_sequence_is_chosen_by_what_is_down_and_on_a_side_one_is_tried_after_the_other(recovery):
    assert [round(played(recovery, (x, 0.0, 0.0))[0]) for x in (-1.0, 1.0)] == [10, 20]
    assert [round(played(recovery, (-0.1, 1.0, 0.0))[0]) for _ in range(4)] == [10, 20, 10, 20]


def test_after_a_fall_on_the_chest_the_limbs_are_stretched_first_after_a_roll_they_are_already():
    front, back, chest = ((Keyframe(seconds, {"lj3": 10.0}),) for seconds in (1.0, 2.0, 4.0))
    recovery = recovery_with(front=front, back=back, chest=chest, paces=(1.0,))
    took = [played(recovery, (x, 0.0, 0.0))[1] for x in (-1.0, 1.0, -1.0, -1.0)]
    assert took == pytest.approx([5.0, 2.0, 1.0, 5.0], abs=0.05)


def test_from_a_side_it_turns_over_and_if_that_fails_tries_the_other_sequences():
    front, back = (Keyframe(1.0, {"lj3": 10.0}),), (Keyframe(1.0, {"lj3": 20.0}),)
    side = (Keyframe(1.0, {"llj3": 30.0, "rlj3": 40.0}),)
    left, right, chest = (0.1, -1.0, 0.0), (0.1, 1.0, 0.0), (-1.0, 0.0, 0.0)
    for lying, turns in ((left, 30), (right, 40)):
        recovery = recovery_with(front=front, back=back, side=side)
        assert [round(played(recovery, up)[0]) for up in (lying, chest)] == [turns, 10]
    recovery = recovery_with(front=front, back=back, side=side)
    assert [round(played(recovery, left)[0]) for _ in range(3)] == [30, 10, 30]


def test_each_try_has_another_pace_until_the_robot_stands_for_good(recovery):
    down, upright, still = (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    times = [played(recovery, down)[1] for _ in range(2)]
    assert times[1] > 1.05 * times[0]
    for _ in range(10):
        assert recovery.update([0.0], upright, still, 0.02) is None
    assert recovery.tries == 2
    for _ in range(50):
        recovery.update([0.0], upright, still, 0.02)
    assert recovery.tries == 0


def test_it_waits_until_the_robot_has_come_to_rest_but_not_for_ever(recovery):
    for _ in range(40):
        assert recovery.update([0.3], (-1.0, 0.0, 0.0), (0.0, 5.0, 0.0), 0.02) == [0.3]
    for _ in range(20):
        recovery.update([0.3], (-1.0, 0.0, 0.0), (0.0, 5.0, 0.0), 0.02)
    assert recovery.playing


def test_a_robot_that_stands_is_not_taken_for_fallen(rehearse):
    rehearsal, motion = rehearse()
    for _ in range(100):
        rehearsal.cycle(motion, Walk(turn=1.0))
        assert not motion.status.fallen


@pytest.mark.parametrize(("side", "sign"), [(Foot.LEFT, 1.0), (Foot.RIGHT, -1.0)])
def test_a_dive_goes_to_its_side_and_ends_standing(rehearse, side, sign):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 1.0)
    rehearsal.run(motion, Dive(side), 0.5)
    assert motion.status.activity is Activity.DIVING
    # Measured 0.35 to 0.4 m after half a second.
    assert sign * rehearsal.standing.y > 0.25
    run_until_standing(rehearsal, motion)


JOINTS = ("hj1", "raj1", "raj2", "laj1", "laj2", "rlj3", "llj3")


def test_names_stand_for_both_sides_mirrors_exchange_them_and_playback_reaches_each_posture():
    angles = angles_of(Keyframe(0.1, {"aj1": 90.0, "aj2": 30.0}), JOINTS)
    quarter, sixth = math.pi / 2, math.pi / 6
    assert angles == pytest.approx({1: quarter, 2: -sixth, 3: quarter, 4: sixth})
    # A full name goes before it.
    assert angles_of(Keyframe(0.1, {"lj3": 0.0, "rlj3": 90.0}), JOINTS) == pytest.approx({5: math.pi / 2, 6: 0.0})
    frame = Keyframe(0.1, {"laj2": 30.0, "raj1": 10.0, "lj3": 5.0})
    assert mirrored(frame).joints_deg == {"raj2": -30.0, "laj1": 10.0, "lj3": 5.0}
    assert mirrored(mirrored(frame)) == frame
    frames = [Keyframe(0.1, {"lj3": 90.0}), Keyframe(0.05, {"llj3": 0.0})]
    playback = Playback(frames, JOINTS, [0.0] * len(JOINTS))
    way = []
    while not playback.done:
        way.append(playback.targets(0.02))
    right, left = [targets[5] for targets in way], [targets[6] for targets in way]
    assert right[4] == pytest.approx(math.pi / 2)
    assert left[-1] == pytest.approx(0.0)
    assert right[-1] == pytest.approx(math.pi / 2)
    # 90 degrees in 0.05 s are 36 degrees a cycle.
    assert max(abs(a - b) for a, b in itertools.pairwise(left)) < math.radians(36.1)
    assert len(way) == 8
