import pytest

from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.teams import Side

LYING, CROUCHING = 0.1, 0.2


@pytest.fixture
def pitch(pitch):
    """A pitch with a player that lies, which it may for a second."""
    made = pitch(Incapable(), incapable={"ground_time": 1.0, "not_standing_time": 3.0})
    made.player_2 = made.add(Side.LEFT, 2, -3.0, 1.0, LYING)
    return made


def test_who_lies_longer_than_allowed_is_beamed_out_and_reported(pitch):
    assert not pitch.apply(1.0)
    (foul,) = pitch.apply()
    assert (foul.kind, foul.rule, foul.side, foul.unum) == ("incapable", "incapable", Side.LEFT, 2)
    assert foul.evidence == pytest.approx({"ground_s": 1.02, "not_standing_s": 1.02, "limit_s": 1.0, "height_m": LYING})
    assert foul.place == pytest.approx((-3.0, 1.0))
    assert pitch.game.fouls[-1].kind is FoulKind.INCAPABLE
    assert pitch.match.repositioning.is_out(pitch.player_2.handle)
    assert foul.text == "left 2 has been on the ground for 1.0 s (limit 1 s)."


def test_time_on_the_ground_goes_on_after_a_vain_attempt_to_get_up(pitch):
    pitch.apply(0.9)
    pitch.put(pitch.player_2, -3.0, 1.0, CROUCHING)
    assert not pitch.apply(0.5)
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.apply(0.1) and pitch.apply()


def test_counters_begin_again_after_a_beam_out_and_a_reset(pitch):
    assert len(pitch.apply(1.04)) == 1
    pitch.apply(0.6)
    pitch.put(pitch.player_2, -3.0, 1.0, LYING)
    assert not pitch.apply(1.0)
    pitch.rule.reset()
    assert not pitch.apply(1.0)
