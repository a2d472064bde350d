"""The ball as a player follows it."""

import math

import pytest

from simspark_ros.motion.interface import Travel
from simspark_ros.players.ball_track import ROLLING_FRICTION, BallTrack
from simspark_ros.players.geometry import Point

LOOK = 0.06
"""Time between two looks, s."""


def test_a_rolling_balls_speed_is_found():
    track = BallTrack()
    for look in range(20):
        time = LOOK * look
        rolled = (1.0 - math.exp(-ROLLING_FRICTION * time)) / ROLLING_FRICTION
        track.move(Travel(), LOOK if look else 0.0)
        track.see(Point(3.0 - 2.0 * rolled, 1.0 * rolled), time)
    left = math.exp(-ROLLING_FRICTION * LOOK * 19)
    # Twenty looks with a gain of 0.2 leave 1 % of the first error; friction within a look adds as much.
    assert track.speed.x == pytest.approx(-2.0 * left, rel=0.1)
    assert track.speed.y == pytest.approx(1.0 * left, rel=0.1)
    soon = track.after(0.5)
    assert soon is not None and track.place is not None
    assert soon.x == pytest.approx(track.place.x - 2.0 * left * 0.388, rel=0.05)


def test_a_resting_ball_has_no_speed_while_one_walks_to_it_or_when_it_was_put_elsewhere():
    track = BallTrack()
    for look in range(20):
        if look:
            track.move(Travel(forward=0.03), LOOK)
        track.see(Point(2.0 - 0.03 * look, 0.3), LOOK * look)
    assert track.speed.range < 0.02
    track = BallTrack()
    track.see(Point(2.0, 0.0), 0.0)
    track.see(Point(-3.0, 1.0), 0.06)
    assert track.place == (-3.0, 1.0)
    assert track.speed == (0.0, 0.0)


def test_the_players_own_movement_moves_the_ball_the_other_way_but_not_one_never_seen():
    track = BallTrack()
    track.move(Travel(forward=1.0), 0.02)
    assert track.place is None and track.after(1.0) is None and track.seen == -math.inf
    track = BallTrack()
    track.see(Point(2.0, 0.0), 0.0)
    track.move(Travel(forward=0.5, left=0.1), 0.02)
    assert track.place == pytest.approx((1.5, -0.1))
    track.move(Travel(turn=math.pi / 2), 0.02)
    assert track.place == pytest.approx((-0.1, -1.5))
