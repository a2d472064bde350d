from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


@pytest.fixture
def field(pitch):
    """Two players a side in open play, left 1 touched the ball last."""
    made = pitch()
    made.left = made.player(Side.LEFT, 1, -5.0, 5.0)
    made.mate = made.player(Side.LEFT, 2, -5.0, -5.0)
    made.right = made.player(Side.RIGHT, 1, 5.0, 5.0)
    made.player(Side.RIGHT, 2, 5.0, -5.0)
    made.open_play(made.left)
    return made


def shoot(field, x=15.01, y=0.0, z=0.042):
    field.kick(x - 0.1 * (1 if x > 0 else -1), y, z=z)
    field.cycle()
    field.kick(x, y, z=z)
    field.cycle()


@pytest.mark.parametrize(
    ("x", "mode", "score"), [(15.01, PlayMode.GOAL_LEFT, (1, 0)), (-15.01, PlayMode.GOAL_RIGHT, (0, 1))]
)
def test_a_ball_in_the_goal_counts_and_the_other_team_kicks_off(field, x, mode, score):
    shoot(field, x)
    assert field.mode is mode
    assert (field.game.score_left, field.game.score_right) == score
    assert field.match.paused and field.game.may_beam
    field.wait(2.98)
    assert field.mode is mode
    field.cycle()
    assert field.mode is (PlayMode.KICK_OFF_RIGHT if x > 0 else PlayMode.KICK_OFF_LEFT)
    assert field.ball == (0, 0)


@pytest.mark.parametrize(
    ("y", "z", "goal"), [(1.04, 0.04, True), (1.06, 0.04, False), (0.0, 0.79, True), (0, 0.81, False)]
)
def test_only_between_the_posts_and_below_the_bar(field, y, z, goal):
    shoot(field, 15.05, y, z)
    assert (field.game.score_left == 1) is goal


def test_a_ball_that_flies_through_the_goal_within_a_cycle_counts_by_where_it_crossed_the_line(field):
    field.kick(14.6, 0.8)
    field.cycle()
    field.kick(15.7, 1.3)
    field.cycle()
    assert field.kinds[-1] == "goal"
    assert field.decisions[-1].evidence["crossing_y_m"] == pytest.approx(0.8 + 0.5 * 0.4 / 1.1)


def test_an_own_goal_counts(field):
    field.cycle(field.right)
    shoot(field)
    assert field.game.score_left == 1
    assert "own goal by right 1" in field.decisions[-1].text


def kick_in(field, taker):
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(1.04)
    field.cycle(taker)


def test_no_goal_straight_from_an_indirect_kick_but_with_two_players(field):
    kick_in(field, field.left)
    shoot(field)
    assert field.kinds[-1] == "goal_refused" and field.mode is PlayMode.GOAL_KICK_RIGHT
    for robot in list(field.world.robots.values())[2:]:
        field.world.remove_robot(robot)
    kick_in(field, field.left)
    shoot(field)
    assert field.kinds[-1] == "goal"


def test_a_goal_after_a_team_mate_touched_an_indirect_kick_counts(field):
    kick_in(field, field.left)
    field.cycle(field.mate)
    shoot(field)
    assert field.kinds[-1] == "goal"


def test_no_own_goal_straight_from_a_kick(field):
    field.mode = PlayMode.DIRECT_FREE_KICK_LEFT
    field.wait(1.04)
    field.cycle(field.left)
    shoot(field, -15.01)
    assert field.kinds[-1] == "goal_refused" and field.mode is PlayMode.CORNER_KICK_RIGHT


def test_a_goal_straight_from_a_direct_kick_counts(field):
    field.mode = PlayMode.DIRECT_FREE_KICK_LEFT
    field.wait(1.04)
    field.cycle(field.left)
    shoot(field)
    assert field.kinds[-1] == "goal"


def test_the_kick_off_team_scores_only_after_a_touch_outside_of_the_circle_or_by_the_opponents(field):
    for freeing in ("nobody", "mate outside", "opponent"):
        field.referee.kick_off(Side.LEFT)
        field.cycle(field.left)
        field.cycle(field.mate)
        if freeing == "mate outside":
            field.kick(2.1, 0.0)
            field.cycle(field.mate)
        elif freeing == "opponent":
            field.cycle(field.right)
        shoot(field)
        assert field.kinds[-1] == ("goal_refused" if freeing == "nobody" else "goal"), freeing
