from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.teams import Side

LYING, CROUCHING, STANDING = 0.1, 0.2, 0.385


@pytest.fixture
def down(pitch):
    """A pitch with a field player and a goalkeeper, and how long each may be down."""

    def make(**numbers):
        times = {
            "ground_time": 1.0,
            "goalie_ground_time": 2.0,
            "not_standing_time": 3.0,
            "goalie_not_standing_time": 4.0,
        }
        made = pitch(Incapable(), incapable={**times, **numbers})
        made.player_2 = made.add(Side.LEFT, 2, -3.0, 1.0)
        made.goalie = made.add(Side.LEFT, 1, -14.0, 0.0)
        return made

    return make


def test_who_lies_longer_than_allowed_is_beamed_out_and_reported(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.judge(1.0)
    (foul,) = pitch.judge()
    assert (foul.kind, foul.rule, foul.side, foul.unum) == ("incapable", "incapable", Side.LEFT, 2)
    assert foul.evidence == pytest.approx({"ground_s": 1.02, "not_standing_s": 1.02, "limit_s": 1.0, "height_m": LYING})
    assert foul.place == pytest.approx((-3.0, 1.0))
    assert pitch.world.game.fouls[-1].kind is FoulKind.INCAPABLE
    assert pitch.match.repositioning.is_out(pitch.player_2.handle)
    assert foul.text == "left 2 has been on the ground for 1.0 s (limit 1 s)."


def test_goalkeepers_have_more_time_on_the_ground(down):
    pitch = down()
    pitch.put(pitch.goalie, -14.0, 0.0, LYING)
    assert not pitch.judge(2.0)
    assert [foul.unum for foul in pitch.judge()] == [1]


def test_who_does_not_stand_for_too_long_is_beamed_out_although_never_on_the_ground(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, CROUCHING)
    pitch.put(pitch.goalie, -14.0, 0.0, CROUCHING)
    assert not pitch.judge(3.0)
    (foul,) = pitch.judge()
    assert foul.unum == 2 and foul.evidence["ground_s"] == 0 and foul.evidence["limit_s"] == 3.0
    assert not pitch.judge(0.96)
    pitch.put(pitch.goalie, -14.0, 0.0, CROUCHING)
    assert [foul.unum for foul in pitch.judge(0.04)] == [1]


def test_standing_up_ends_the_time_on_the_ground_at_once(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    pitch.judge(0.9)
    pitch.put(pitch.player_2, -3.0, 1.0, STANDING)
    pitch.judge()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.judge(1.0)
    assert pitch.judge()


def test_time_on_the_ground_goes_on_after_a_vain_attempt_to_get_up(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    pitch.judge(0.9)
    pitch.put(pitch.player_2, -3.0, 1.0, CROUCHING)
    assert not pitch.judge(0.5)
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.judge(0.1) and pitch.judge()


@pytest.mark.parametrize(("upright", "forgotten"), [(0.48, False), (0.5, True)])
def test_time_without_standing_ends_after_half_a_second_upright(down, upright, forgotten):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, CROUCHING)
    pitch.judge(2.9)
    pitch.put(pitch.player_2, -3.0, 1.0, STANDING)
    pitch.judge(upright)
    pitch.put(pitch.player_2, -3.0, 1.0, CROUCHING)
    assert bool(pitch.judge(0.2)) is not forgotten


def test_who_is_beyond_the_side_line_may_lie(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 10.11, LYING)
    assert not pitch.judge(1.5)
    pitch.put(pitch.player_2, -3.0, 10.09, LYING)
    assert pitch.judge(1.5)


@pytest.mark.parametrize(("height", "limit"), [(0.149, 1.0), (0.151, 3.0), (0.249, 3.0), (0.251, 99.0)])
def test_heights_tell_postures(down, height, limit):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, height)
    fouls = pitch.judge(3.1)
    assert [foul.evidence["limit_s"] for foul in fouls[:1]] == ([limit] if limit < 99 else [])


def test_nothing_is_counted_while_the_game_is_paused(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    pitch.world.game.set_play_mode(PlayMode.GOAL_LEFT)
    assert not pitch.judge(1.5)
    pitch.world.game.set_play_mode(PlayMode.KICK_IN_LEFT)
    assert not pitch.judge(0.9)


def test_counters_begin_anew_after_a_beam_out_and_a_reset(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert len(pitch.judge(1.04)) == 1
    pitch.judge(0.6)
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.judge(1.0)
    pitch.rule.reset()
    assert not pitch.judge(1.0)


def test_who_leaves_the_world_is_forgotten(down):
    pitch = down()
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    pitch.judge(0.5)
    pitch.world.remove_robot(pitch.player_2)
    pitch.judge()
    assert not pitch.rule._down


@pytest.mark.parametrize(("height", "limits"), [(LYING, (15.0, 30.0)), (CROUCHING, (30.0, 60.0))])
def test_the_measured_times(pitch, height, limits):
    pitch = pitch(Incapable())
    pitch.add(Side.LEFT, 2, -3.0, 1.0, height)
    pitch.add(Side.LEFT, 1, -14.0, 0.0, height)
    for unum, time in ((2, limits[0]), (1, limits[1] - limits[0] - 0.02)):
        assert not pitch.judge(time)
        assert [foul.unum for foul in pitch.judge()] == [unum]
