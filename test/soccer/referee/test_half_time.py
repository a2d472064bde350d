from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_halves_end_at_their_time_and_the_clock_goes_on(pitch):
    field = pitch("game.half_time=1")
    field.mode = PlayMode.PLAY_ON
    field.wait(0.98)
    assert field.mode is PlayMode.PLAY_ON
    field.cycle()
    assert (field.mode, field.game.half) == (PlayMode.BEFORE_KICK_OFF, 2)
    field.wait(3)
    assert field.game.time == pytest.approx(1.0)
    field.mode = PlayMode.PLAY_ON
    field.wait(0.98)
    assert field.mode is PlayMode.PLAY_ON
    field.cycle()
    assert field.mode is PlayMode.GAME_OVER
    assert field.kinds == ["half_time", "game_over"]
    assert field.decisions[-1].evidence["limit_s"] == 2.0


def test_the_clock_restarts_where_the_rules_say_so(pitch):
    field = pitch("game.half_time=1", "game.clock_restarts=true")
    field.mode = PlayMode.PLAY_ON
    field.wait(1)
    assert (field.game.half, field.game.time) == (2, 0.0)
    field.mode = PlayMode.PLAY_ON
    field.wait(0.98)
    assert field.mode is PlayMode.PLAY_ON
    field.cycle()
    assert field.mode is PlayMode.GAME_OVER


def test_a_single_half_ends_the_game(pitch):
    field = pitch("game.half_time=1", "game.single_half=true")
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(1)
    assert (field.mode, field.game.half) == (PlayMode.GAME_OVER, 1)


def test_the_second_half_begins_with_the_other_team(pitch):
    field = pitch("game.half_time=1")
    field.referee.kick_off(None)
    assert field.mode is PlayMode.KICK_OFF_LEFT
    field.wait(1)
    field.referee.kick_off(None)
    assert field.mode is PlayMode.KICK_OFF_RIGHT


def test_teams_change_sides_with_names_goals_and_players_and_the_other_team_kicks_off(pitch):
    field = pitch("game.half_time=1", "game.change_sides=true")
    robot = field.player(Side.LEFT, 7, -3.0, 1.0)
    field.world.teams.left.name, field.world.teams.right.name = "A", "B"
    field.game.score_left, field.game.score_right = 3, 1
    field.referee.kick_off(None)
    field.wait(1)
    assert (field.world.teams.left.name, field.world.teams.right.name) == ("B", "A")
    assert field.world.teams.right.side is Side.RIGHT
    assert (field.game.score_left, field.game.score_right) == (1, 3)
    assert (robot.side, robot.unum, robot.registrations) == (Side.RIGHT, 7, 1)
    field.cycle()
    assert field.spot(robot) == pytest.approx((2.5, 1.0))
    # Team B, which plays left now.
    field.referee.kick_off(None)
    assert field.mode is PlayMode.KICK_OFF_LEFT


def test_the_server_ends_after_the_game_where_the_rules_say_so(pitch):
    for wish in (True, False):
        field = pitch(f"game.automatic_quit={str(wish).lower()}", "game.quit_after=1")
        field.mode = PlayMode.GAME_OVER
        field.wait(0.98)
        assert not field.match.end_requested
        field.cycle()
        assert field.match.end_requested is wish
