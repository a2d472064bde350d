from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

RADIUS = 0.042


@pytest.fixture
def field(pitch):
    """One player a side in open play, the left one touched the ball last."""
    made = pitch()
    made.left = made.player(Side.LEFT, 1, -5.0, 5.0)
    made.right = made.player(Side.RIGHT, 1, 5.0, 5.0)
    made.open_play(made.left)
    return made


@pytest.mark.parametrize(
    ("ball", "toucher", "mode", "place"),
    [
        ((3.0, 10.05), Side.LEFT, PlayMode.KICK_IN_RIGHT, (3.0, 10 - RADIUS)),
        ((-3.0, -10.05), Side.RIGHT, PlayMode.KICK_IN_LEFT, (-3.0, -10 + RADIUS)),
        ((15.05, 3.0), Side.RIGHT, PlayMode.CORNER_KICK_LEFT, (14.958, 5.483)),
        ((15.05, -3.0), Side.LEFT, PlayMode.GOAL_KICK_RIGHT, (14.0, 0.0)),
        ((-15.05, -3.0), Side.LEFT, PlayMode.CORNER_KICK_RIGHT, (-14.958, -5.483)),
        ((-15.05, 3.0), Side.RIGHT, PlayMode.GOAL_KICK_LEFT, (-14.0, 0.0)),
    ],
)
def test_who_did_not_touch_a_ball_that_left_the_field_has_it_where_it_belongs(field, ball, toucher, mode, place):
    x, y = ball
    field.kick(x * 0.99, y * 0.99)
    field.cycle(field.left if toucher is Side.LEFT else field.right)
    assert field.mode is PlayMode.PLAY_ON
    field.kick(x, y)
    field.cycle()
    assert field.mode is mode
    assert field.decisions[-1].evidence["ball_x_m"] == pytest.approx(x)
    field.wait(0.98)
    assert field.ball == pytest.approx((x, y))
    field.cycle(times=2)
    # The kick-in is taken where the ball last was on the field: a hundredth nearer to the middle.
    assert field.ball == pytest.approx(place, abs=0.031)
    assert field.decisions[-1].place == pytest.approx(field.ball)


def test_a_ball_on_the_line_is_in_play(field):
    field.kick(3.0, 10.042)
    field.cycle()
    assert field.mode is PlayMode.PLAY_ON
    field.kick(3.0, 10.044)
    field.cycle()
    assert field.mode is PlayMode.KICK_IN_RIGHT


@pytest.mark.parametrize(("ball", "kind"), [((3.0, 10.1), "drop_ball"), ((15.1, 5.0), "goal_kick")])
def test_a_ball_that_nobody_ever_touched_goes_on(pitch, ball, kind):
    field = pitch()
    field.player(Side.LEFT, 1, -5.0, 5.0)
    field.mode = PlayMode.PLAY_ON
    field.kick(*ball)
    field.cycle()
    assert field.kinds == [kind]


def test_a_ball_is_put_back_where_the_rules_say_so(pitch):
    field = pitch("ball.out_reset=put_back")
    field.open_play(field.player(Side.LEFT, 1, -5.0, 5.0))
    field.kick(3.0, 9.0)
    field.cycle()
    field.kick(3.0, 10.1)
    field.cycle()
    assert field.mode is PlayMode.PLAY_ON and field.kinds == ["put_back"]
    assert field.ball == pytest.approx((3.0, 9.0))


def test_opponents_keep_away_from_the_ball_and_the_kickers_are_pushed_once(field):
    field.mode = PlayMode.KICK_IN_LEFT
    field.kick(2.0, 9.0)
    field.put(field.left, 2.0, 9.7)
    field.put(field.right, 2.5, 9.0)
    field.wait(0.98)
    assert field.spot(field.right) == pytest.approx((2.5, 9.0))
    field.cycle()
    assert field.ball == pytest.approx((2.0, 10 - RADIUS))
    assert field.spot(field.right) == pytest.approx((5.0, 9.0))
    assert field.spot(field.left) == pytest.approx((2.0, 10 - RADIUS - 0.5))
    field.put(field.left, 2.0, 9.7)
    field.cycle()
    assert field.spot(field.left) == pytest.approx((2.0, 9.7))


def test_touches_count_from_shortly_after_the_pause(field):
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(1.02, field.left)
    assert field.mode is PlayMode.KICK_IN_LEFT
    field.cycle(field.left)
    assert field.mode is PlayMode.PLAY_ON


def test_a_set_play_that_nobody_takes_is_dropped_outside_of_penalty_areas(field):
    field.mode = PlayMode.CORNER_KICK_LEFT
    field.wait(15)
    assert field.kinds[-1] == "drop_ball" and field.mode is PlayMode.PLAY_ON
    assert field.decisions[-1].evidence["waited_s"] == pytest.approx(15)


@pytest.mark.parametrize(
    ("ball", "place"), [((14.5, 1.0), (13.2, 3.0)), ((-14.0, -2.0), (-13.2, -3.0)), ((3, 4), (3, 4))]
)
def test_free_kicks_are_taken_outside_of_penalty_areas(field, ball, place):
    field.kick(*ball)
    field.cycle()
    field.mode = PlayMode.FREE_KICK_LEFT
    field.wait(1.02)
    assert field.ball == pytest.approx(place)


def test_a_goal_kick_is_over_when_the_ball_has_left_the_penalty_area(field):
    field.mode = PlayMode.GOAL_KICK_RIGHT
    field.put(field.left, 13.5, 1.0)
    field.wait(1.04)
    assert field.spot(field.left) == pytest.approx((15 - 1.8 - 2.5, 1.0))
    field.cycle(field.right)
    field.kick(13.5, 0.0)
    field.cycle()
    assert field.mode is PlayMode.GOAL_KICK_RIGHT and field.ball == pytest.approx((13.5, 0))
    field.kick(13.1, 0.0)
    field.cycle()
    assert field.mode is PlayMode.PLAY_ON


def test_the_taker_may_not_touch_the_ball_again(field):
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(1.04)
    field.cycle(field.left, times=6)
    assert field.mode is PlayMode.PLAY_ON
    field.cycle(field.left)
    assert field.mode is PlayMode.FREE_KICK_RIGHT
    decision = field.decisions[-1]
    assert (decision.kind, decision.side, decision.unum) == ("double_touch", Side.LEFT, 1)
    assert decision.evidence["since_kick_s"] == pytest.approx(0.12)


def test_the_taker_may_touch_the_ball_after_somebody_else(field):
    field.mode = PlayMode.CORNER_KICK_LEFT
    field.wait(1.04)
    field.cycle(field.left)
    field.cycle(field.right)
    field.cycle(field.left, times=10)
    assert field.mode is PlayMode.PLAY_ON


def test_with_two_players_a_kick_off_may_be_touched_again(pitch):
    for players, mode in ((2, PlayMode.PLAY_ON), (3, PlayMode.FREE_KICK_RIGHT)):
        field = pitch()
        robots = [field.player(Side.LEFT, n + 1, -4.0, 2.0 * n) for n in range(players)]
        field.referee.kick_off(Side.LEFT)
        field.cycle(robots[0], times=10)
        assert field.mode is mode


def test_a_trainers_drop_ball_sees_where_others_have_just_been_put(field):
    field.kick(2.0, 0.0)
    field.cycle()
    # Measured in this cycle already.
    assert len(field.match.boxes) == 2
    field.put(field.left, 2.5, 0.0)
    field.kick(3.0, 0.0)
    field.referee.drop_ball()
    assert field.ball == pytest.approx((3.0, 0.0))
    assert field.spot(field.left) == pytest.approx((0.0, 0.0))
