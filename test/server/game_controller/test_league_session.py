"""A game of the Standard Platform League, as its robots hear it from the GameController."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from simspark_ros.protocol.game_controller.control import ControlState
from simspark_ros.server.game_controller.state import COLOURS, game_control
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side
from test.conftest import Played
from test.rigs.messages.game_controller import ReadGame
from test.server.game_controller.test_server import NUMBERS, Robots

SHORT = {
    "game.half_time": 12.0,
    "game.wait_before_kick_off": 2.0,
    "league_flow.ready_time": 3.0,
    "league_flow.set_time": 2.0,
    "league_flow.half_break": 2.0,
    "fallen_inactive.inactive_time": 0.0,
    "penalties.time": 5.0,
}
"""Times of a rule book, s, so that a test is over soon."""


@pytest.fixture
def session(play: Callable[..., Played]) -> Iterator[Callable[[str, str], Robots]]:
    made: list[Robots] = []

    def make(world: str, league: str) -> Robots:
        changes = tuple(f"rules.{key}={value}" for key, value in SHORT.items())
        made.append(Robots(play(world=world, changes=changes, engine="mujoco"), league))
        made[-1].played.join("a", "Reds", 1)
        made[-1].played.join("b", "Greens", 2)
        return made[-1]

    yield make
    for each in made:
        each.socket.close()
        each.controller.close()


def listen(robots: Robots, seconds: float) -> list[ReadGame]:
    robots.played.run(round(seconds / 0.02))
    return robots.heard()


def states(games: list[ReadGame]) -> list[int]:
    """The states of messages, each once in a row."""
    told = [game.state for game in games]
    return [state for before, state in zip([None, *told], told, strict=False) if state != before]


def test_a_session_from_initial_to_finished_with_a_goal_and_both_halves(session):
    robots = session("spl", "spl")
    before = listen(robots, 7.4)
    assert states(before) == [ControlState.INITIAL, ControlState.READY, ControlState.SET, ControlState.PLAYING]
    assert {game.kicking for game in before} == {1}
    assert before[-1].secondary > 8  # ten seconds until the ball is free
    # Team 1 scores: players get ready for the kick-off of team 2.
    robots.played.world.game.set_play_mode(PlayMode.PLAY_ON)
    robots.played.world.engine.place_ball((4.45, 0.0, 0.07), (4.0, 0.0, 0.0))
    after = listen(robots, 5.9)
    assert states(after)[-3:] == [ControlState.READY, ControlState.SET, ControlState.PLAYING]
    assert (after[-1].teams[0].score, after[-1].teams[1].score, after[-1].kicking) == (1, 0, 2)
    # The second half, on exchanged sides: team 1 defends the right goal now, and keeps number, colour and score.
    second = listen(robots, 15.6)
    assert states(second) == [
        ControlState.PLAYING,
        ControlState.FINISHED,
        ControlState.INITIAL,
        ControlState.READY,
        ControlState.SET,
        ControlState.PLAYING,
    ]
    assert {game.first_half for game in second if game.state == ControlState.FINISHED} == {1}
    last = second[-1]
    assert last.first_half == 0
    assert [(team.number, team.colour, team.score) for team in last.teams] == [(2, 1, 0), (1, 0, 1)]
    end = listen(robots, 13.0)
    assert end[-1].state == ControlState.FINISHED
    assert robots.played.world.game.play_mode is PlayMode.GAME_OVER


@pytest.mark.parametrize(("world", "league", "number"), [("spl", "spl", 6), ("kidsize", "humanoid", 15)])
def test_penalties_are_told_with_the_time_that_is_left(session, world, league, number):
    robots = session(world, league)
    world_of_robots = robots.played.world
    world_of_robots.game.set_play_mode(PlayMode.PLAY_ON)
    robots.heard()
    world_of_robots.move(world_of_robots.robot_of("b"), 1.0, 3.9, 0.4)
    told = [(game.teams[1].penalties[1], game.teams[1].seconds[1]) for game in listen(robots, 6.5)]
    punished = [seconds for penalty, seconds in told if penalty == number]
    assert punished == sorted(punished, reverse=True)
    assert (punished[0], punished[-1]) == (5, 1)
    assert told[-1] == (0, 0)
    # Times that do not fit are cut.
    robots.played.referee.change("penalties", "time", 999.0)
    world_of_robots.move(world_of_robots.robot_of("b"), 1.0, 3.9, 0.4)
    assert {game.teams[1].seconds[1] for game in listen(robots, 1.0)[1:]} == {255}


def test_a_set_play_is_told_with_its_team_and_the_time_until_the_ball_is_free(session):
    robots = session("spl", "spl")
    robots.played.world.game.set_play_mode(PlayMode.CORNER_KICK_RIGHT)
    robots.heard()
    told = listen(robots, 1.0)[-1]
    assert (told.state, told.set_play, told.kicking) == (ControlState.PLAYING, 3, 2)
    assert told.secondary in (29, 30)


def test_without_the_flow_of_a_league_the_play_mode_alone_is_told(session):
    robots = session("spl", "spl")
    robots.played.world.game.set_play_mode(PlayMode.PLAY_ON)
    robots.played.run(1)
    robots.played.referee.change("order", "league_flow", False)
    robots.played.world.game.set_play_mode(PlayMode.BEFORE_KICK_OFF)
    assert game_control(robots.played.world, 0, NUMBERS).state == ControlState.READY


def test_colours_are_those_of_the_teams(played):
    played.world.game = replace(played.world.game, sides_changed=True)
    left, right = game_control(played.world, 0, NUMBERS).teams
    assert (left.number, left.colour) == (2, COLOURS[Side.RIGHT])
    assert (right.number, right.colour) == (1, COLOURS[Side.LEFT])
