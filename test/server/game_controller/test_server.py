"""The simulator as a GameController: robots on real sockets follow a game from its beginning to its end."""

import socket
import struct
from collections.abc import Callable, Iterator

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.game_controller.control import ControlState, SetPlayReason
from simspark_ros.server.game_controller.server import GameController
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.game_controller.state import game_control
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side
from test.conftest import Played
from test.rigs.messages.game_controller import ReadGame, read_game
from test.rigs.stub_world import Lines

NUMBERS = {Side.LEFT: 1, Side.RIGHT: 2}
RULES = {"automatic_kick_off": True, "wait_before_kick_off": 4.0, "half_time": 8.0, "goal_pause": 2.0}


class Robots:
    """All robots of a network: a socket that hears the GameController of a simulation."""

    def __init__(self, played: Played, league: str = "spl", **options: object) -> None:
        self.played, self.log = played, Lines()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        # Messages on the loopback are there when they have been sent.
        self.socket.setblocking(False)
        chosen = {"game_controller_port": self.socket.getsockname()[1], "game_controller_return_port": 0} | options
        self.controller = GameController(
            GameControllerOptions(game_controller=league, **chosen),  # type: ignore[arg-type]
            self.log.info,
        )
        played.simulation.add_node(self.controller)

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
def robots(play: Callable[..., Played]) -> Iterator[Callable[..., Robots]]:
    """Makes robots that hear a simulation."""
    made: list[Robots] = []

    def make(league: str = "spl", **options: object) -> Robots:
        changes = tuple(f"rules.game.{key}={str(value).lower()}" for key, value in RULES.items())
        made.append(Robots(play(changes=changes, engine="mujoco"), league, **options))
        return made[-1]

    yield make
    for each in made:
        each.socket.close()
        each.controller.close()


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


def test_after_a_goal_the_other_team_gets_ready(played):
    played.world.game.set_play_mode(PlayMode.GOAL_LEFT)
    played.world.game.score_left = 1
    control = game_control(played.world, 0, NUMBERS)
    assert (control.state, control.kicking, control.teams[0].score) == (ControlState.READY, 2, 1)


def test_answers_are_kept_and_named_once(robots):
    here = robots(left_number=12)
    here.answer(spl_answer(12, 3))
    here.answer(spl_answer(12, 3))
    assert [*here.controller.answers] == [(12, 3)]
    assert len(here.log.having("player 3 of team 12 answers")) == 1


@pytest.mark.parametrize("data", [b"", b"x" * 2000, spl_answer(99, 1), spl_answer(1, 0), spl_answer(1, 21)])
def test_wrong_answers_are_counted(robots, data):
    here = robots()
    here.answer(data)
    here.answer(data)
    assert here.controller.malformed == 2
    assert here.controller.answers == {}
    assert len(here.log.having("ignores")) == 1


def test_what_cannot_be_sent_costs_one_line(robots):
    # No datagram can be sent to port 0.
    here = robots(game_controller_port=0)
    here.played.run(60)
    assert len(here.log.having("cannot send to 127.0.0.1")) == 1


def test_a_port_in_use_is_named(robots):
    taken = robots().controller.return_port
    with pytest.raises(PortError, match=rf"{taken}.*--game-controller-return-port"):
        robots(game_controller_return_port=taken)


def test_two_teams_have_two_numbers():
    with pytest.raises(ConfigurationError, match="both are 7"):
        GameControllerOptions(left_number=7, right_number=7)
