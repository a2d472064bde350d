import numpy as np
import pytest

from simspark_watching.broadcast.tv_camera import HEIGHT, TvCamera

STEP = 0.04


def test_the_camera_begins_at_the_ball_and_comes_to_rest_there():
    camera = TvCamera()
    assert camera.follow(np.array((1.0, 2.0, 0.04)), 0.0) == pytest.approx((1.0, 2.0, HEIGHT))
    for _ in range(200):
        looked = camera.follow(np.array((5.0, -2.0, 0.8)), STEP)
    # Eight seconds are 24 times the spring's own: what is left is below a millimetre.
    assert looked == pytest.approx((5.0, -2.0, HEIGHT), abs=1e-3)


def test_a_ball_that_jumps_makes_no_jerk():
    camera = TvCamera()
    looked = [camera.follow(np.array((0.0, 0.0, 0.0)), STEP)]
    looked += [camera.follow(np.array((10.0, 0.0, 0.0)), STEP) for _ in range(100)]
    speed = np.diff([place[0] for place in looked]) / STEP
    # A critically damped spring of 3 rad/s begins with an acceleration of 9 times 10 m and the lead of 1.75 m.
    assert np.abs(np.diff(speed)).max() / STEP <= 9.0 * 11.8
    assert max(place[0] for place in looked) < 10.5


def test_a_picture_at_the_same_time_does_not_move_it():
    camera = TvCamera()
    camera.follow(np.zeros(3), 0.0)
    assert camera.follow(np.ones(3), 0.0) == pytest.approx((0.0, 0.0, HEIGHT))
