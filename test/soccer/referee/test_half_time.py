from __future__ import annotations

import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_teams_change_sides_with_names_goals_and_players_and_the_other_team_kicks_off(pitch):
    field = pitch("game.half_time=1", "game.change_sides=true")
    robot = field.add(Side.LEFT, 7, -3.0, 1.0)
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
