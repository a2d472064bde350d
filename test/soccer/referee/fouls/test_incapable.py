import pytest

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.referee.fouls.crowding import Crowding, Touching
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.referee.fouls.self_collision import SelfCollision
from simspark_ros.soccer.referee.match_view import PAUSED
from simspark_ros.soccer.teams import Side

LYING, CROUCHING = 0.1, 0.2


@pytest.fixture
def fallen(pitch):
    """A pitch with a player that lies, which it may for a second."""
    made = pitch(Incapable(), incapable={"ground_time": 1.0, "not_standing_time": 3.0})
    made.player_2 = made.add(Side.LEFT, 2, -3.0, 1.0, LYING)
    return made


def test_who_lies_longer_than_allowed_is_beamed_out_and_reported(fallen):
    assert not fallen.apply(1.0)
    (foul,) = fallen.apply()
    assert (foul.kind, foul.rule, foul.side, foul.unum) == ("incapable", "incapable", Side.LEFT, 2)
    assert foul.evidence == pytest.approx({"ground_s": 1.02, "not_standing_s": 1.02, "limit_s": 1.0, "height_m": LYING})
    assert foul.place == pytest.approx((-3.0, 1.0)) and fallen.game.fouls[-1].kind is FoulKind.INCAPABLE
    assert fallen.match.repositioning.is_out(fallen.player_2.handle)
    assert foul.text == "left 2 has been on the ground for 1.0 s (limit 1 s)."


def test_time_on_the_ground_goes_on_after_a_vain_attempt_to_get_up(fallen):
    fallen.apply(0.9)
    fallen.put(fallen.player_2, -3.0, 1.0, CROUCHING)
    assert not fallen.apply(0.5)
    fallen.put(fallen.player_2, -3.0, 1.0, LYING)
    assert not fallen.apply(0.1) and fallen.apply()


def test_a_robot_on_wheels_rides_lower_than_a_nao_crouches_and_is_down_only_when_it_has_tipped_over(fallen):
    fallen.put(fallen.player_2, -3.0, 1.0)
    low = fallen.add(Side.RIGHT, 3, 1.0, 1.0, 0.12, robot="omni")
    assert not fallen.apply(5.0)
    # It rests on its top, with its middle higher than on its wheels.
    fallen.engine.place_robot(low.handle, (1.0, 1.0, 0.159), (1.0, 0.0, 0.0, 0.0))
    assert not fallen.apply(1.0)
    (foul,) = fallen.apply()
    assert foul.unum == 3 and foul.evidence["ground_s"] > 1.0


def test_counters_begin_again_after_a_beam_out_and_a_reset(fallen):
    assert len(fallen.apply(1.04)) == 1
    fallen.apply(0.6)
    fallen.put(fallen.player_2, -3.0, 1.0, LYING)
    assert not fallen.apply(1.0)
    fallen.rule.reset()
    assert not fallen.apply(1.0)


@pytest.mark.parametrize(
    ("rule", "numbers"),
    [
        (Charging, {}),
        (Crowding, {"opponent_distance": 2.0, "second_distance": 1.0}),
        (Incapable, {"ground_time": 0.1}),
        (SelfCollision, {"interval": 0.0}),
        (Touching, {}),
    ],
)
def test_fouls_are_counted_and_reported_but_while_the_game_is_paused(pitch, rule, numbers):
    pitch = pitch(rule(), **{rule.name: numbers})
    runner, opponent = pitch.add(Side.LEFT, 2, 0.0, 0.0), pitch.add(Side.RIGHT, 3, 0.3, 0.0)
    pitch.add(Side.RIGHT, 5, 5.0, 5.0, 0.1)
    pitch.bend(opponent, {"rlj1": -35.0, "rlj4": -55.0, "llj2": -20.0})
    pitch.touch((runner, opponent), (opponent, pitch.add(Side.LEFT, 4, 0.6, 0.0)))
    pitch.move(runner, 0.6, 0.0)
    pitch.ball(0.15, 0.5)
    for mode in PAUSED:
        pitch.mode = mode
        assert not pitch.apply(0.3)
    pitch.mode = PlayMode.PLAY_ON
    assert rule.name in [foul.kind for foul in pitch.apply(0.3)]
    assert pitch.game.fouls[-1].kind.name.lower() == rule.name
