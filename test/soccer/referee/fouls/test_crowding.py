"""What the shipped cases (config/referee_cases/fouls.yaml) do not tell of crowding: the evidence, and both teams."""

import pytest

from simspark_ros.soccer.referee.fouls.crowding import Crowding
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT
OLD = {"opponent_distance": 0.8, "second_distance": 0.4, "third_distance": 1.0}


def around_ball(pitch, left, right):
    """Players of both teams at those distances from a ball at (1, 2)."""
    made = pitch(Crowding(), crowding=OLD)
    made.ball(1.0, 2.0)
    for unum, distance in enumerate(left, 2):
        made.add(LEFT, unum, 1.0 - distance, 2.0)
    for unum, distance in enumerate(right, 2):
        made.add(RIGHT, unum, 1.0 + distance, 2.0)
    return made


def test_the_second_closest_keeps_its_distance_while_an_opponent_is_near(pitch):
    pitch = around_ball(pitch, [0.2, 0.39], [0.7])
    (foul,) = pitch.apply()
    assert (foul.kind, foul.side, foul.unum) == ("crowding", LEFT, 3)
    expected = {"ball_distance_m": 0.39, "limit_m": 0.4, "opponent_ball_distance_m": 0.7, "closest_of_team": 2}
    assert foul.evidence == pytest.approx(expected)
    assert pitch.match.repositioning.is_out(pitch.world.player(LEFT, 3).handle)


def test_the_rule_applies_to_both_teams_in_one_cycle(pitch):
    pitch = around_ball(pitch, [0.15, 0.39], [0.2, 0.38])
    assert sorted(foul.side.value for foul in pitch.apply()) == ["left", "right"]
