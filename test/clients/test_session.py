"""A player's connection against a server that the test plays by hand."""

import re
import socket
from collections.abc import Callable

import pytest

from simspark_ros.clients.classic_client import ConnectionLostError
from simspark_ros.clients.session import PATIENCE, Registration, Session, SessionState, run_sessions
from simspark_ros.players.answer import Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.protocol.framing import FrameDecoder, frame

ACCEPTED = "(time (now 2.00))(GS (unum 4) (team right) (t 0.00) (pm PlayOn))"


class Recorder:
    def __init__(self) -> None:
        self.acted: list[float] = []
        self.noticed: list[float] = []

    def act(self, percept: Percept) -> Answer:
        self.acted.append(percept.time)
        return Answer({"hj1": percept.time})

    def notice(self, percept: Percept) -> None:
        self.noticed.append(percept.time)


class Hand:
    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.agent = Recorder()
        self.session = Session(self.agent, Registration("Red", 4, 2), "127.0.0.1", self.port)
        self.socket, _ = self._listener.accept()
        self.socket.settimeout(10.0)
        self._frames = FrameDecoder(1 << 16)
        self._messages: list[bytes] = []

    def send(self, *messages: str) -> None:
        self.socket.sendall(b"".join(frame(message.encode()) for message in messages))
        self.session.receive()

    def receive(self) -> str:
        while not self._messages:
            chunk = self.socket.recv(1 << 16)
            assert chunk, "the session has closed the connection"
            self._messages += self._frames.feed(chunk)
        return self._messages.pop(0).decode()

    def join(self) -> None:
        self.send("(time (now 1.00))")
        self.send(ACCEPTED)
        for _ in range(3):
            self.receive()

    def close(self) -> None:
        self.session.close()
        self.socket.close()
        self._listener.close()


@pytest.fixture
def hand(close_later: Callable[[Hand], Hand]) -> Hand:
    return close_later(Hand())


def test_it_asks_for_a_robot_then_for_a_number_then_plays(hand):
    assert hand.receive() == "(scene rsg/agent/nao/nao_hetero.rsg 2)(syn)"
    hand.send("(time (now 1.00))")
    assert hand.receive() == "(init (unum 4)(teamname Red))(syn)"
    hand.send("(time (now 1.02))")
    assert hand.receive() == "(syn)"
    hand.send(ACCEPTED)
    assert hand.receive() == "(he1 2.0)(syn)"
    assert hand.session.became == "right 4"


def test_of_several_percepts_at_once_the_last_is_answered_and_malformed_ones_too_as_the_server_may_wait(hand):
    hand.join()
    hand.send("(time (now 3.00))", "(time (now 3.02))", "(time (now 3.04))")
    assert hand.receive() == "(he1 3.04)(syn)"
    assert hand.agent.noticed == [3.0, 3.02]
    assert hand.agent.acted == [2.0, 3.04]
    hand.send("(nonsense")
    assert hand.receive() == "(syn)"
    assert hand.session.state is SessionState.PLAYING


def test_a_server_that_goes_away_ends_the_session_quietly(hand):
    hand.join()
    hand.socket.close()
    run_sessions([hand.session])
    assert hand.session.state is SessionState.ENDED
    assert hand.session.trouble == ""
    assert hand.session.answered == 1


def test_a_player_that_is_not_accepted_gives_up_and_says_so(hand):
    for number in range(PATIENCE + 3):
        hand.send(f"(time (now {number}.00))")
        if hand.session.state is SessionState.ENDED:
            break
    assert re.search(r"did not accept .*Red.*4", hand.session.trouble)


def test_an_impossible_length_ends_the_session(hand):
    hand.socket.sendall(b"\xff\xff\xff\xff")
    hand.session.receive()
    assert hand.session.state is SessionState.ENDED
    assert "announces" in hand.session.trouble


def test_an_error_names_the_address_where_no_server_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ConnectionLostError, match=f"127.0.0.1:{port}.*simspark serve"):
        Session(Recorder(), Registration("Red", 1), "127.0.0.1", port)
