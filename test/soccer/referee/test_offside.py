from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


@pytest.fixture
def make(pitch):
    """Left 1 with the ball at x = 4, left 2 ahead, right 1 (goalkeeper) on its line and right 2 at x = 9."""

    def made(mate_x, ball=4.0):
        field = pitch("order.offside=true")
        field.kicker = field.add(Side.LEFT, 1, ball, 0.0)
        field.mate = field.add(Side.LEFT, 2, mate_x, 3.0)
        field.keeper = field.add(Side.RIGHT, 1, 14.5, 0.0)
        field.defender = field.add(Side.RIGHT, 2, 9.0, 1.0)
        field.kick(ball, 0.0)
        field.mode = PlayMode.PLAY_ON
        return field

    return made


def pass_to_mate(field):
    field.cycle(field.kicker)
    field.kick(10.0, 3.0)
    field.cycle(field.mate)


@pytest.mark.parametrize(
    ("mate_x", "ball", "offside"),
    [(10.0, 4.0, True), (8.5, 4.0, False), (10.0, 10.5, False), (-1.0, -4.0, False)],
)
def test_a_team_mate_beyond_ball_and_second_last_opponent_in_their_half_is_offside(make, mate_x, ball, offside):
    field = make(mate_x, ball=ball)
    if mate_x < 0:
        field.put(field.defender, -8.0, 1.0)
        field.put(field.keeper, -8.0, 3.0)
    pass_to_mate(field)
    assert (field.mode is PlayMode.OFFSIDE_LEFT) is offside
    if offside:
        decision = field.decisions[-1]
        assert (decision.side, decision.unum) == (Side.LEFT, 2)
        assert decision.evidence["beyond_m"] == pytest.approx(1.0)
        field.wait(1.0)
        assert field.mode is PlayMode.FREE_KICK_RIGHT
        field.wait(1.0)
        assert field.ball == pytest.approx((10.0, 3.0))


def test_an_opponents_touch_in_between_makes_good(make):
    field = make(10.0)
    field.cycle(field.kicker)
    field.cycle(field.defender)
    field.cycle(field.mate)
    assert field.mode is PlayMode.PLAY_ON


def test_straight_from_a_kick_in_no_player_is_offside(make):
    field = make(10.0)
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(1.04)
    pass_to_mate(field)
    assert field.mode is PlayMode.PLAY_ON
    field.kick(4.0, 0.0)
    pass_to_mate(field)
    assert field.mode is PlayMode.OFFSIDE_LEFT
