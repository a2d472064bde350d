"""The simulator as a GameController: robots on real sockets follow a game from its beginning to its end."""

import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.game_controller.control import ControlState, SetPlayReason
from simspark_ros.server.game_controller.server import GameController
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.game_controller.state import COLOURS, game_control
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side
from test.conftest import Played
from test.rigs.messages.game_controller import ReadGame, read_game
from test.rigs.stub_world import Lines

NUMBERS = {Side.LEFT: 1, Side.RIGHT: 2}
RULES = {"game.automatic_kick_off": True, "game.wait_before_kick_off": 4.0}
RULES |= {"game.half_time": 8.0, "game.goal_pause": 2.0}


class Robots:
    """All robots of a network: a socket that hears the GameController of a simulation."""

    def __init__(self, played: Played, league: str = "spl", **options: object) -> None:
        self.played, self.log = played, Lines()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        # Messages on the loopback are there when they have been sent.
        self.socket.setblocking(False)
        chosen = {"game_controller_port": self.socket.getsockname()[1], "game_controller_return_port": 0} | options
        settings = GameControllerOptions(game_controller=league, **chosen)  # type: ignore[arg-type]
        self.controller = GameController(settings, self.log.info)
        played.simulation.add_node(self.controller)

    def close(self) -> None:
        self.socket.close()
        self.controller.close()

    def heard(self) -> list[ReadGame]:
        messages = []
        while True:
            try:
                messages.append(read_game(self.socket.recv(2048)))
            except BlockingIOError:
                return messages

    def answer(self, data: bytes) -> None:
        self.socket.sendto(data, ("127.0.0.1", self.controller.return_port))
        self.played.run(1)


@pytest.fixture
def robots(play: Callable[..., Played], close_later: Callable[[Robots], Robots]) -> Callable[..., Robots]:
    """Makes robots that hear a simulation; `rules` are changes of the rule book, beside what a world has."""

    def make(league: str = "spl", rules: Mapping[str, object] = RULES, world: str = "soccer", **options: Any) -> Robots:
        changes = tuple(f"rules.{key}={str(value).lower()}" for key, value in rules.items())
        return close_later(Robots(play(world=world, changes=changes, engine="mujoco"), league, **options))

    return make


def spl_answer(team: int, player: int) -> bytes:
    return struct.pack("<4s4B6f", b"RGrt", 4, player, team, 0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0)


def until_mode(robots: Robots, mode: PlayMode, most: float) -> list[ReadGame]:
    """Play until a mode is reached, in `most` simulated seconds; returns what was heard."""
    for _ in range(int(most / 0.02)):
        robots.played.run(1)
        if robots.played.world.game.play_mode is mode:
            return robots.heard()
    raise AssertionError(robots.played.world.game.play_mode)


def test_a_session_from_initial_to_finished(robots):
    here = robots("humanoid")
    here.played.run(1)
    assert [game.state for game in here.heard()] == [ControlState.INITIAL]
    here.played.join("a", "Left", 1)
    here.played.join("b", "Right", 2)
    before = until_mode(here, PlayMode.KICK_OFF_LEFT, most=6.0)
    states = [game.state for game in before if game.state != ControlState.INITIAL]
    assert states == [ControlState.READY] * states.count(1) + [ControlState.SET] * states.count(2)
    assert states.count(1) >= 3
    assert states.count(2) >= 3
    here.played.run(26)
    kick_off = here.heard()[-1]
    assert (kick_off.state, kick_off.set_play, kick_off.kicking) == (ControlState.PLAYING, 0, 1)
    assert kick_off.teams[0].penalties[:3] == (0, 14, 14)
    assert kick_off.teams[1].penalties[:3] == (14, 0, 14)
    first_half = until_mode(here, PlayMode.BEFORE_KICK_OFF, most=10.0)
    assert first_half[-1].remaining == 1
    second = until_mode(here, PlayMode.KICK_OFF_RIGHT, most=6.0)
    assert {game.first_half for game in second[1:]} == {0}
    assert {game.kicking for game in second[1:]} == {2}
    until_mode(here, PlayMode.GAME_OVER, most=10.0)
    here.played.run(100)
    told = here.heard()
    assert told[-1].state == ControlState.FINISHED
    # Twice a second.
    assert [game.packet - told[0].packet for game in told] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("mode", "set_play", "kicking"),
    [
        (PlayMode.KICK_IN_RIGHT, SetPlayReason.KICK_IN, 2),
        (PlayMode.CORNER_KICK_LEFT, SetPlayReason.CORNER_KICK, 1),
        (PlayMode.GOAL_KICK_RIGHT, SetPlayReason.GOAL_KICK, 2),
        (PlayMode.FREE_KICK_LEFT, SetPlayReason.FREE_KICK, 1),
        (PlayMode.DIRECT_FREE_KICK_LEFT, SetPlayReason.DIRECT_FREE_KICK, 1),
        (PlayMode.OFFSIDE_RIGHT, SetPlayReason.FREE_KICK, 2),
        (PlayMode.PASS_LEFT, SetPlayReason.NONE, None),
        (PlayMode.PLAY_ON, SetPlayReason.NONE, None),
    ],
)
def test_set_plays(played, mode, set_play, kicking):
    # A kick-off that somebody orders is initial until then.
    assert game_control(played.world, 0, NUMBERS).state == ControlState.INITIAL
    played.world.game.set_play_mode(mode)
    control = game_control(played.world, 0, NUMBERS)
    assert (control.state, control.set_play, control.kicking) == (ControlState.PLAYING, set_play, kicking)


def test_after_a_goal_the_other_team_gets_ready_and_colours_are_those_of_the_teams(played):
    played.world.game.set_play_mode(PlayMode.GOAL_LEFT)
    played.world.game.score_left = 1
    control = game_control(played.world, 0, NUMBERS)
    assert (control.state, control.kicking, control.teams[0].score) == (ControlState.READY, 2, 1)
    played.world.game = replace(played.world.game, sides_changed=True)
    left, right = game_control(played.world, 0, NUMBERS).teams
    assert (left.number, left.colour) == (2, COLOURS[Side.RIGHT])
    assert (right.number, right.colour) == (1, COLOURS[Side.LEFT])


def test_answers_are_kept_and_named_once_and_what_cannot_be_sent_or_opened_is_named(robots):
    here = robots(left_number=12)
    here.answer(spl_answer(12, 3))
    here.answer(spl_answer(12, 3))
    assert [*here.controller.answers] == [(12, 3)]
    assert len(here.log.having("player 3 of team 12 answers")) == 1
    # No datagram can be sent to port 0.
    here = robots(game_controller_port=0)
    here.played.run(60)
    assert len(here.log.having("cannot send to 127.0.0.1")) == 1
    taken = robots().controller.return_port
    with pytest.raises(PortError, match=rf"{taken}.*--game-controller-return-port"):
        robots(game_controller_return_port=taken)
    with pytest.raises(ConfigurationError, match="both are 7"):
        GameControllerOptions(left_number=7, right_number=7)


@pytest.mark.parametrize("data", [b"", b"x" * 2000, spl_answer(99, 1), spl_answer(1, 0), spl_answer(1, 21)])
def test_wrong_answers_are_counted(robots, data):
    here = robots()
    here.answer(data)
    here.answer(data)
    assert here.controller.malformed == 2
    assert here.controller.answers == {}
    assert len(here.log.having("ignores")) == 1


SHORT = {"game.half_time": 12.0, "game.wait_before_kick_off": 2.0, "penalties.time": 5.0}
SHORT |= {"league_flow.ready_time": 3.0, "league_flow.set_time": 2.0, "league_flow.half_break": 2.0}
SHORT |= {"fallen_inactive.inactive_time": 0.0}
"""Times of a rule book, s, so that a test is over soon."""


@pytest.fixture
def session(robots: Callable[..., Robots]) -> Callable[[str, str], Robots]:
    def make(world: str, league: str) -> Robots:
        made = robots(league, SHORT, world)
        made.played.join("a", "Reds", 1)
        made.played.join("b", "Greens", 2)
        return made

    return make


def listen(robots: Robots, seconds: float) -> list[ReadGame]:
    robots.played.run(round(seconds / 0.02))
    return robots.heard()


def states(games: list[ReadGame]) -> list[int]:
    told = [game.state for game in games]
    return [state for before, state in zip([None, *told], told, strict=False) if state != before]


def test_a_session_from_initial_to_finished_with_a_goal_and_both_halves(session):
    robots = session("spl", "spl")
    before = listen(robots, 7.4)
    begun = [ControlState.INITIAL, ControlState.READY, ControlState.SET, ControlState.PLAYING]
    assert states(before) == begun
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
    assert states(second) == [ControlState.PLAYING, ControlState.FINISHED, *begun]
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
    world = robots.played.world
    world.game.set_play_mode(PlayMode.CORNER_KICK_RIGHT)
    robots.heard()
    told = listen(robots, 1.0)[-1]
    assert (told.state, told.set_play, told.kicking) == (ControlState.PLAYING, 3, 2)
    assert told.secondary in (29, 30)
    # Without the flow of a league the play mode alone is told.
    robots.played.referee.change("order", "league_flow", False)
    world.game.set_play_mode(PlayMode.BEFORE_KICK_OFF)
    assert game_control(world, 0, NUMBERS).state == ControlState.READY
