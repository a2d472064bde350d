from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


@pytest.fixture
def field(pitch):
    """One player a side in open play, the left one touched the ball last."""
    made = pitch()
    made.left = made.add(Side.LEFT, 1, -5.0, 5.0)
    made.add(Side.RIGHT, 1, 5.0, 5.0)
    made.open_play(made.left)
    return made


@pytest.mark.parametrize(("ball", "kind"), [((3.0, 10.1), "drop_ball"), ((15.1, 5.0), "goal_kick")])
def test_a_ball_that_no_player_has_touched_goes_on(pitch, ball, kind):
    field = pitch()
    field.add(Side.LEFT, 1, -5.0, 5.0)
    field.mode = PlayMode.PLAY_ON
    field.kick(*ball)
    field.cycle()
    assert field.kinds == [kind]


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
