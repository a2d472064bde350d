import itertools
import math

import pytest

from simspark_ros.soccer.referee.fouls.crowding import Touching
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT


def crowd(pitch, *players, **numbers):
    """Players (side, unum) in a row along x, 0.3 m from each other."""
    made = pitch(Touching(), touching=numbers)
    made.crowd = [made.add(side, unum, 0.3 * i, 2.0) for i, (side, unum) in enumerate(players)]
    return made


def joined_by_the_third(pitch, *players):
    """Pitch and foul: the first two players touch, then the third comes."""
    pitch = crowd(pitch, *players)
    a, b, c = pitch.crowd
    pitch.touch((a, b))
    assert not pitch.apply()
    pitch.touch((a, b), (b, c))
    (foul,) = pitch.apply()
    return pitch, foul


def test_two_may_touch_and_the_third_who_comes_is_moved_away(pitch):
    pitch, foul = joined_by_the_third(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4))
    assert (foul.kind, foul.side, foul.unum) == ("touching", LEFT, 4)
    assert foul.evidence == pytest.approx(
        {"group_players": 3, "limit_players": 2, "team_players": 2, "centre_distance_m": 0.3}
    )
    assert foul.text == "left 4 touches in a group of 3 (limit 2): left 2, right 3, left 4."
    # at least a step away from the centre at (0.3, 2), and clear of the two others
    assert math.dist(pitch.spot(pitch.crowd[2]), (0.3, 2.0)) >= 0.7 - 1e-9
    assert pitch.spot(pitch.crowd[2])[0] > 0.6


def test_one_of_the_majority_is_blamed_when_the_newcomer_belongs_to_the_minority(pitch):
    _, foul = joined_by_the_third(pitch, (LEFT, 2), (LEFT, 3), (RIGHT, 4))
    assert foul.side is LEFT


def test_in_a_group_of_equal_halves_the_newcomer_is_blamed_whoever_it_is(pitch):
    pitch = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4), (RIGHT, 5), max_group=3)
    a, b, c, d = pitch.crowd
    pitch.touch((a, b), (b, c))
    assert not pitch.apply()
    pitch.touch((a, b), (b, c), (c, d))
    (foul,) = pitch.apply()
    assert (foul.side, foul.unum) == (RIGHT, 5)


def test_a_large_group_is_taken_apart_until_no_part_is_too_large(pitch):
    pitch = crowd(pitch, *((LEFT, n) for n in range(2, 8)))
    robots = pitch.crowd
    pitch.touch(*itertools.pairwise(robots))
    blamed = {foul.unum for foul in pitch.apply()}
    rest = [robot.unum not in blamed for robot in robots]
    runs = "".join("x" if stays else " " for stays in rest).split()
    assert blamed and max(map(len, runs)) <= 2


def test_who_has_been_moved_in_this_cycle_touches_no_player(pitch):
    pitch = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4))
    a, b, c = pitch.crowd
    pitch.touch((a, b), (b, c))
    pitch.match.repositioning.note_move(b.handle)
    # still the cycle of the move
    pitch.match.look()
    pitch.rule.apply(pitch.match)
    assert pitch.match.log.count == 0
    assert pitch.apply()


def test_robots_without_a_team_do_not_count(pitch):
    pitch = crowd(pitch, (LEFT, 2), (None, 0), (LEFT, 4))
    a, b, c = pitch.crowd
    pitch.touch((a, b), (b, c))
    assert not pitch.apply()


def test_a_rule_book_may_have_him_beamed_out(pitch):
    pitch = crowd(pitch, (LEFT, 2), (RIGHT, 3), (LEFT, 4), beam_out=True)
    a, b, c = pitch.crowd
    pitch.touch((a, b), (b, c))
    (foul,) = pitch.apply()
    assert pitch.match.repositioning.is_out(pitch.world.player(LEFT, foul.unum).handle)
