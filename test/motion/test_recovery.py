"""Falling and getting up."""

import math
from dataclasses import replace

import pytest

from simspark_ros.motion.interface import Activity, Dive, Foot, Stand, Walk
from simspark_ros.motion.keyframes import Keyframe
from simspark_ros.motion.nao import Recovery
from simspark_ros.motion.settings import load_motion_settings

# Where the torso's forward axis points: rotations about the world's y axis, x y z w.
LYING = {
    "on the chest": (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)),
    "on the back": (0.0, -math.sqrt(0.5), 0.0, math.sqrt(0.5)),
}


def run_until_standing(rehearsal, motion):
    # A sequence takes 2 s and succeeds in two of three tries or more often: 20 s are ample.
    for _ in range(20):
        rehearsal.run(motion, Stand(), 1.0)
        if motion.status.activity is Activity.STANDING and motion.tries == 0:
            break
    assert motion.status.activity is Activity.STANDING
    assert not rehearsal.fallen


@pytest.mark.parametrize("posture", LYING)
def test_a_robot_that_lies_gets_up_and_walks_on(rehearse, posture):
    rehearsal, motion = rehearse()
    rehearsal.world.engine.place_robot(rehearsal.robot.handle, (0.0, 0.0, 0.1), LYING[posture])
    rehearsal.run(motion, Stand(), 1.5)
    assert rehearsal.fallen
    assert motion.status.fallen
    assert not motion.status.may_change
    run_until_standing(rehearsal, motion)
    before = rehearsal.standing
    rehearsal.run(motion, Walk(forward=0.2), 2.0)
    assert not rehearsal.fallen
    assert math.hypot(rehearsal.standing.x - before.x, rehearsal.standing.y - before.y) > 0.15


def played(recovery, up):
    """Plays a sequence; the last targets and the seconds that it took."""
    targets, cycles = recovery.update([0.0], up, (0.0, 0.0, 0.0), 0.02), 0
    while recovery.playing:
        targets, cycles = recovery.update([0.0], up, (0.0, 0.0, 0.0), 0.02), cycles + 1
    return math.degrees(targets[0]), cycles * 0.02


@pytest.fixture
def recovery():
    front, back = (Keyframe(1.0, {"lj3": 10.0}),), (Keyframe(1.0, {"lj3": 20.0}),)
    return Recovery(replace(load_motion_settings().fall, front=front, back=back), ["llj3"], 0.27)


def test_the_sequence_is_chosen_by_the_side_that_is_down(recovery):
    assert played(recovery, (-1.0, 0.0, 0.0))[0] == pytest.approx(10.0)
    assert played(recovery, (1.0, 0.0, 0.0))[0] == pytest.approx(20.0)


def test_on_a_side_one_sequence_is_tried_after_the_other(recovery):
    assert [round(played(recovery, (-0.1, 1.0, 0.0))[0]) for _ in range(4)] == [10, 20, 10, 20]


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
