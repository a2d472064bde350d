import math

import numpy as np
import pytest

from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT
YAW = 0.7


@pytest.fixture
def place(pitch):
    """A pitch without fouls, with one player to be moved."""

    def make(**sections):
        made = pitch(Incapable(), **sections)
        made.one = made.add(LEFT, 5, 0.0, -8.0)
        made.apply()
        return made

    return make


def spot_for(pitch, spot):
    return pitch.match.repositioning.free_spot(pitch.player(pitch.one), spot)


@pytest.mark.parametrize(
    ("others", "wanted", "found"),
    [
        pytest.param([], (2.0, 3.0), (2.0, 3.0), id="a free place"),
        pytest.param([(2.0, 3.0)], (-6.0, 3.0), (-6.0, 3.0), id="another one is taken"),
        pytest.param([], (0.1, -8.0), (0.1, -8.0), id="where its own body is"),
        pytest.param([(2.0, 3.0)], (2.0, 3.0), (2.8, 3.0), id="beyond a taken place, as it comes to it"),
        pytest.param([(2.0, -8.0)], (2.0, -8.0), (2.0, -7.2), id="level with it: toward the middle"),
        pytest.param([(0.0, 3.0)], (0.0, 3.0), (-0.8, 3.0), id="level with it: toward its own goal"),
        pytest.param([(3.0, 24.0)], (3.0, 24.0), (3.8, 24.0), id="within the outer walls"),
    ],
)
def test_the_nearest_free_place_is_taken(place, others, wanted, found):
    pitch = place()
    for unum, (x, y) in enumerate(others, 3):
        pitch.add(RIGHT, unum, x, y)
    assert spot_for(pitch, wanted) == pytest.approx(found)


def test_a_place_keeps_a_radius_from_bodies_and_out_of_the_own_penalty_area_while_it_is_full(place):
    pitch = place()
    pitch.add(RIGHT, 3, 2.0, 3.0)
    spot = spot_for(pitch, (2.0, 3.0))
    (x0, y0, _), (x1, y1, _) = pitch.match.boxes[1].tolist()
    gap = math.hypot(max(x0 - spot[0], spot[0] - x1, 0), max(y0 - spot[1], spot[1] - y1, 0))
    assert 0.4 <= gap < 0.85
    pitch = place()
    for unum, y in ((1, 0.0), (2, -2.0)):
        pitch.add(LEFT, unum, -14.5, y)
    assert spot_for(pitch, (-14.0, 1.6)) == (-14.0, 1.6)
    pitch.add(LEFT, 3, -14.5, -1.0)
    x, y = spot_for(pitch, (-14.0, 1.6))
    assert x >= -13.2 or abs(y) > 3.0
    # that of the opponents is not
    assert spot_for(pitch, (14.0, 1.6)) == (14.0, 1.6)


@pytest.mark.parametrize("x", [-15.3, 15.2, 16.0, -20.0])
def test_a_place_is_neither_in_nor_behind_a_goal(place, x):
    spot = spot_for(place(), (x, 0.4))
    assert abs(spot[0]) <= 15.0 or abs(spot[1]) >= 1.05 + 0.4


@pytest.mark.parametrize(("attempts", "y"), [(4, -7.2), (3, -8.0)])
def test_if_no_place_is_free_after_some_attempts_the_spot_is_taken(place, attempts, y):
    pitch = place(repositioning={"max_attempts": attempts})
    pitch.add(RIGHT, 3, 2.0, -8.0)
    assert spot_for(pitch, (2.0, -8.0)) == pytest.approx((2.0, y))


def test_a_place_keeps_away_from_the_ball_unless_that_is_what_the_move_is_about(place):
    pitch = place()
    player = pitch.player(pitch.one)
    assert math.dist(spot_for(pitch, (0.1, 0.5)), (0.0, 0.0)) >= 1.0
    assert pitch.match.repositioning.free_spot(player, (0.1, 0.5), avoid_ball=False) == (0.1, 0.5)


def beamed(pitch, x=3.0, y=2.0, side=LEFT, unum=5):
    robot = pitch.one
    robot.side, robot.unum = side, unum
    pitch.world.revision += 1
    pitch.engine.place_robot(robot.handle, (x, y, 0.385), (0.0, 0.0, math.sin(YAW / 2), math.cos(YAW / 2)))
    pitch.match.decide("test", "Out.")
    pitch.match.beam_out(pitch.player(robot))
    return robot


def test_players_are_seen_where_the_referee_has_just_put_them(place):
    pitch = place()
    player = pitch.player(pitch.one)
    acts = [lambda: pitch.match.move_player(player, (3.0, 4.0)), lambda: pitch.match.beam_out(player)]
    seen = set()
    for act in acts + [pitch.apply] * 40:
        act()
        seen.add(pitch.match.position(player))
        assert pitch.match.position(player) == pitch.place(pitch.one)
    # Moved, lifted, and beside the field.
    assert len(seen) == 3


def test_who_is_beamed_out_is_lifted_for_half_a_second_and_seen_by_no_rule(place):
    pitch = place()
    robot = beamed(pitch)
    for _ in range(24):
        pitch.apply()
        assert pitch.place(robot) == pytest.approx((3.0, 2.0, 1.385))
        assert robot.handle not in {player.handle for player in pitch.match.players}
        pitch.put(robot, 3.0, 2.0, 1.2)
    pitch.apply()
    assert pitch.place(robot)[2] == pytest.approx(0.4)
    pitch.apply()
    assert robot.handle in {player.handle for player in pitch.match.players}


@pytest.mark.parametrize(
    ("side", "unum", "ball_y", "expected"),
    [
        *((LEFT, 5, 1.0, (-1.2, -10.5)), (LEFT, 5, -1.0, (-1.2, 10.5)), (LEFT, 11, 1.0, (2.4, -10.5))),
        *((RIGHT, 5, 1.0, (1.2, -10.5)), (RIGHT, 1, -1.0, (3.6, 10.5))),
    ],
)
def test_then_it_stands_beside_the_field_where_the_ball_is_not_turned_as_before(place, side, unum, ball_y, expected):
    pitch = place()
    pitch.ball(0.0, ball_y)
    robot = beamed(pitch, side=side, unum=unum)
    pitch.apply(0.52)
    assert pitch.place(robot) == pytest.approx((*expected, 0.4))
    rotation = pitch.world.engine.state.rotation[pitch.row(robot)]
    assert np.arctan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(YAW)


def test_an_overruled_beam_out_puts_the_player_back_and_who_leaves_or_is_reset_is_forgotten(place):
    pitch = place()
    robot = beamed(pitch)
    pitch.apply(0.1)
    pitch.match.log.overrule(pitch.world, pitch.match.log.count)
    for seconds in (0.0, 0.6):
        pitch.apply(seconds)
        assert pitch.place(robot) == pytest.approx((3.0, 2.0, 0.385))
    gone, reset = place(), place()
    robots = beamed(gone), beamed(reset)
    gone.world.remove_robot(robots[0])
    gone.apply(0.6)
    reset.match.reset()
    for pitch, robot in zip((gone, reset), robots, strict=True):
        assert not pitch.match.repositioning.is_out(robot.handle)
