import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.fouls.charging import Charging
from simspark_ros.soccer.referee.fouls.crowding import Crowding, Touching
from simspark_ros.soccer.referee.fouls.incapable import Incapable
from simspark_ros.soccer.referee.fouls.self_collision import SelfCollision
from simspark_ros.soccer.referee.match_view import PAUSED
from simspark_ros.soccer.teams import Side


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
