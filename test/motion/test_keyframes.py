"""Postures by name, and the way through them."""

import itertools
import math

import pytest

from simspark_ros.motion.keyframes import Keyframe, Playback, angles_of, mirrored

JOINTS = ("hj1", "raj1", "raj2", "laj1", "laj2", "rlj3", "llj3")


def test_a_name_without_a_side_stands_for_both_sides_of_a_symmetric_posture():
    angles = angles_of(Keyframe(0.1, {"aj1": 90.0, "aj2": 30.0}), JOINTS)
    quarter, sixth = math.pi / 2, math.pi / 6
    assert angles == pytest.approx({1: quarter, 2: -sixth, 3: quarter, 4: sixth})


def test_a_full_name_goes_before_a_name_without_a_side():
    assert angles_of(Keyframe(0.1, {"lj3": 0.0, "rlj3": 90.0}), JOINTS) == pytest.approx({5: math.pi / 2, 6: 0.0})


def test_the_mirror_exchanges_sides():
    frame = Keyframe(0.1, {"laj2": 30.0, "raj1": 10.0, "lj3": 5.0})
    assert mirrored(frame).joints_deg == {"raj2": -30.0, "laj1": 10.0, "lj3": 5.0}
    assert mirrored(mirrored(frame)) == frame


def test_playback_reaches_each_posture_in_its_time_without_jumps():
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
