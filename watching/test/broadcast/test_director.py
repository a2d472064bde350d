import math

import numpy as np
import pytest

from simspark_watching.broadcast.bodies import JUMP, BodyPoses, between
from simspark_watching.broadcast.director import AFTER, BEFORE, SPEED, PoseRecording
from simspark_watching.broadcast.tv_camera import HEIGHT, TvCamera


def at(x: float, angle: float = 0.0, bodies: int = 1) -> BodyPoses:
    quaternion = (math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0))
    return BodyPoses(np.tile((x, 0.0, 0.0), (bodies, 1)), np.tile(quaternion, (bodies, 1)))


def test_poses_between_two_pictures_move_and_turn_evenly_and_what_is_put_elsewhere_does_not_fly():
    earlier, later = at(0.0, 0.0), at(0.2, 0.4)
    # The other sign is the same orientation.
    for end in (later, BodyPoses(later.positions, -later.quaternions)):
        middle = between(earlier, end, 0.5)
        assert middle.positions[0, 0] == pytest.approx(0.1)
        assert np.abs(middle.quaternions[0]) == pytest.approx(np.abs(at(0.0, 0.2).quaternions[0]), abs=1e-3)
    assert between(earlier, later, 0.0).positions[0, 0] == 0.0
    earlier, later = at(0.0), at(2.0 * JUMP)
    assert between(earlier, later, 0.4).positions[0, 0] == 0.0
    assert between(earlier, later, 0.6).positions[0, 0] == 2.0 * JUMP


def test_a_goal_is_shown_again_slowly_from_before_it_without_robots_that_were_not_there():
    recording = PoseRecording()
    for number in range(101):
        recording.keep(0.1 * number, at(0.01 * number))
    replay = recording.goal(8.0)
    assert replay is not None and replay.duration == pytest.approx((BEFORE + AFTER) / SPEED, abs=0.3)
    assert replay.at(0.0).positions[0, 0] == pytest.approx(0.1 * (8.0 - BEFORE), abs=0.011)
    # Poses lie between those that were kept.
    assert replay.at(1.0 / SPEED + 0.02).positions[0, 0] == pytest.approx(0.1 * (8.0 - BEFORE + 1.0) + 0.001, abs=0.011)
    assert replay.at(1e3).positions[0, 0] == pytest.approx(0.1 * (8.0 + AFTER), abs=0.011)
    recording = PoseRecording()
    recording.keep(0.0, at(0.0))
    recording.keep(0.1, at(0.0, bodies=2))
    assert recording.goal(0.1) is None


STEP = 0.04


def test_the_camera_begins_at_the_ball_comes_to_rest_there_and_does_not_move_at_the_same_time():
    camera = TvCamera()
    assert camera.follow(np.array((1.0, 2.0, 0.04)), 0.0) == pytest.approx((1.0, 2.0, HEIGHT))
    for _ in range(200):
        looked = camera.follow(np.array((5.0, -2.0, 0.8)), STEP)
    # Eight seconds are 24 times the spring's own: what is left is below a millimetre.
    assert looked == pytest.approx((5.0, -2.0, HEIGHT), abs=1e-3)
    camera = TvCamera()
    camera.follow(np.zeros(3), 0.0)
    assert camera.follow(np.ones(3), 0.0) == pytest.approx((0.0, 0.0, HEIGHT))


def test_a_ball_that_jumps_makes_no_jerk():
    camera = TvCamera()
    looked = [camera.follow(np.array((0.0, 0.0, 0.0)), STEP)]
    looked += [camera.follow(np.array((10.0, 0.0, 0.0)), STEP) for _ in range(100)]
    speed = np.diff([place[0] for place in looked]) / STEP
    # A critically damped spring of 3 rad/s begins with an acceleration of 9 times 10 m and the lead of 1.75 m.
    assert np.abs(np.diff(speed)).max() / STEP <= 9.0 * 11.8 and max(place[0] for place in looked) < 10.5
