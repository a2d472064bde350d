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


@pytest.mark.parametrize(
    ("half", "begin", "end"), [(1, 0.0, 4.0), (2, 4.0, 8.0), (3, 8.0, 10.0), (4, 10.0, 12.0), (5, 0.0, 3.0)]
)
def test_a_game_begins_with_the_half_that_the_rules_say_and_ends_with_it(pitch, half, begin, end):
    lengths = ("game.half_time=4", "game.extra_half_time=2", "game.penalty_time=3", "game.single_half=true")
    field = pitch(*lengths, f"game.first_half={half}")
    field.add(Side.LEFT, 7, -3.0, 1.0)
    assert (field.game.half, field.game.time) == (half, begin)
    field.referee.kick_off(Side.LEFT)
    # The last cycle ends with the half, give or take a cycle of rounding.
    field.wait(end - begin - 0.04)
    assert field.mode is not PlayMode.GAME_OVER
    field.wait(0.08)
    assert field.mode is PlayMode.GAME_OVER


def test_a_game_begins_at_the_time_that_the_rules_say(pitch):
    field = pitch("game.first_half=2", "game.start_time=599.5")
    assert (field.game.half, field.game.time) == (2, 599.5)
    field.world.reset_state()
    assert field.world.game.time == 599.5
