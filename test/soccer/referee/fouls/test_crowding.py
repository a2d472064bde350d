"""What the shipped cases (config/referee_cases/fouls.yaml) do not tell of crowding: the evidence, and both teams."""

import itertools
import math

import pytest

from simspark_ros.soccer.referee.fouls.crowding import Crowding, Touching
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


def test_the_second_closest_keeps_its_distance_while_an_opponent_is_near_also_of_both_teams(pitch):
    one = around_ball(pitch, [0.2, 0.39], [0.7])
    (foul,) = one.apply()
    assert (foul.kind, foul.side, foul.unum) == ("crowding", LEFT, 3)
    expected = {"ball_distance_m": 0.39, "limit_m": 0.4, "opponent_ball_distance_m": 0.7, "closest_of_team": 2}
    assert foul.evidence == pytest.approx(expected)
    assert one.match.repositioning.is_out(one.world.player(LEFT, 3).handle)
    pitch = around_ball(pitch, [0.15, 0.39], [0.2, 0.38])
    assert sorted(foul.side.value for foul in pitch.apply()) == ["left", "right"]


def crowd(pitch, *players, **numbers):
    """Players (side, unum) in a row along x, 0.3 m from each other, each in contact with the next."""
    made = pitch(Touching(), touching=numbers)
    made.crowd = [made.add(side, unum, 0.3 * i, 2.0) for i, (side, unum) in enumerate(players)]
    made.touch(*itertools.pairwise(made.crowd))
    return made


def joined_by_the_third(pitch, *players):
    """Pitch and foul: the first two players touch, then the third comes."""
    pitch = crowd(pitch, *players)
    pitch.touch(pitch.crowd[:2])
    assert not pitch.apply()
    pitch.touch(*itertools.pairwise(pitch.crowd))
    (foul,) = pitch.apply()
    return pitch, foul


def test_two_may_touch_and_the_third_who_comes_is_moved_away(pitch):
    pitch, foul = joined_by_the_third(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4))
    assert (foul.kind, foul.side, foul.unum) == ("touching", LEFT, 4)
    expected = {"group_players": 3, "limit_players": 2, "team_players": 2, "centre_distance_m": 0.3}
    assert foul.evidence == pytest.approx(expected)
    assert foul.text == "left 4 touches in a group of 3 (limit 2): left 2, right 3, left 4."
    # at least a step away from the centre at (0.3, 2), and clear of the two others
    assert math.dist(pitch.spot(pitch.crowd[2]), (0.3, 2.0)) >= 0.7 - 1e-9
    assert pitch.spot(pitch.crowd[2])[0] > 0.6


def test_one_of_the_majority_is_blamed_and_in_a_group_of_equal_halves_the_newcomer(pitch):
    _, foul = joined_by_the_third(pitch, (LEFT, 2), (LEFT, 3), (RIGHT, 4))
    assert foul.side is LEFT
    halves = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4), (RIGHT, 5), max_group=3)
    halves.touch(*itertools.pairwise(halves.crowd[:3]))
    assert not halves.apply()
    halves.touch(*itertools.pairwise(halves.crowd))
    assert [(foul.side, foul.unum) for foul in halves.apply()] == [(RIGHT, 5)]


def test_a_large_group_is_taken_apart_and_who_has_been_moved_in_this_cycle_touches_no_player(pitch):
    one = crowd(pitch, *((LEFT, n) for n in range(2, 8)))
    blamed = {foul.unum for foul in one.apply()}
    rest = [robot.unum not in blamed for robot in one.crowd]
    runs = "".join("x" if stays else " " for stays in rest).split()
    assert blamed and max(map(len, runs)) <= 2
    pitch = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4))
    pitch.match.repositioning.note_move(pitch.crowd[1].handle)
    # still the cycle of the move
    pitch.match.look()
    pitch.rule.apply(pitch.match)
    assert pitch.match.log.count == 0 and pitch.apply()


def test_robots_without_a_team_do_not_count_and_a_rule_book_may_have_players_beamed_out(pitch):
    assert not crowd(pitch, (LEFT, 2), (None, 0), (LEFT, 4)).apply()
    pitch = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4), beam_out=True)
    (foul,) = pitch.apply()
    assert pitch.match.repositioning.is_out(pitch.world.player(LEFT, foul.unum).handle)
