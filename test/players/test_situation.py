"""Play modes as either team sees them."""

import pytest

from simspark_ros.players.situation import Situation, situation_of
from simspark_ros.soccer.game_state import PlayMode


@pytest.mark.parametrize(
    ("mode", "left", "right"),
    [
        (PlayMode.BEFORE_KICK_OFF, Situation.WAIT, Situation.WAIT),
        (PlayMode.GOAL_LEFT, Situation.GOAL, Situation.GOAL),
        (PlayMode.GAME_OVER, Situation.OVER, Situation.OVER),
        (PlayMode.PLAY_ON, Situation.PLAY, Situation.PLAY),
        (PlayMode.KICK_OFF_LEFT, Situation.OUR_KICK_OFF, Situation.THEIR_KICK_OFF),
        (PlayMode.KICK_IN_RIGHT, Situation.THEIR_SET_PLAY, Situation.OUR_SET_PLAY),
        (PlayMode.CORNER_KICK_LEFT, Situation.OUR_SET_PLAY, Situation.THEIR_SET_PLAY),
        (PlayMode.GOAL_KICK_RIGHT, Situation.THEIR_GOAL_KICK, Situation.OUR_GOAL_KICK),
        (PlayMode.DIRECT_FREE_KICK_LEFT, Situation.OUR_SET_PLAY, Situation.THEIR_SET_PLAY),
        (PlayMode.PASS_RIGHT, Situation.THEIR_PASS, Situation.OUR_PASS),
        # The side that was offside has to leave the ball to the other one.
        (PlayMode.OFFSIDE_LEFT, Situation.THEIR_SET_PLAY, Situation.OUR_SET_PLAY),
    ],
)
def test_a_mode_means_the_opposite_to_the_other_team(mode, left, right):
    assert situation_of(mode, "left") is left
    assert situation_of(mode, "right") is right


def test_only_one_team_may_play_the_ball_in_a_set_play():
    for mode in PlayMode:
        left, right = situation_of(mode, "left"), situation_of(mode, "right")
        assert not (left.is_theirs and right.is_theirs)
        assert left.is_theirs or not right.is_ours
