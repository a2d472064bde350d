from __future__ import annotations

import pytest

from simspark_ros.soccer.teams import Side


@pytest.fixture
def field(pitch):
    """Two players a side in open play, left 1 touched the ball last."""
    made = pitch()
    toucher = made.add(Side.LEFT, 1, -5.0, 5.0)
    made.add(Side.LEFT, 2, -5.0, -5.0)
    made.add(Side.RIGHT, 1, 5.0, 5.0)
    made.add(Side.RIGHT, 2, 5.0, -5.0)
    made.open_play(toucher)
    return made


def shoot(field, x=15.01, y=0.0, z=0.042):
    field.kick(x - 0.1 * (1 if x > 0 else -1), y, z=z)
    field.cycle()
    field.kick(x, y, z=z)
    field.cycle()


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
