"""Classic connections of many agents in one process: joins, passes percepts to agents and sends their answers.

One thread serves all connections; the answer to a percept is sent before the next percept is read, so that in lock-step
the server waits for the agents' own time only.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.players.answer import Agent, Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.protocol.agent.answer_writer import AnswerWriter, init_command, scene_command
from simspark_ros.protocol.agent.percept_reader import PerceptError, read_percept

CONNECT_TIMEOUT = 10.0
"""Longest wait for a connection, and for a server that does not read, s."""

PATIENCE = 200
"""Percepts after which a player that was not accepted gives up."""

SYNCHRONISE = "(syn)"


class ClientAgent(Agent, Protocol):
    """An agent behind a network, where percepts may come late."""

    def notice(self, percept: Percept) -> None:
        """Take up a percept that came too late to be answered, as a newer one is there already."""


@dataclass(frozen=True)
class Registration:
    """The robot and the place in a team that an agent asks for.

    Attributes:
        unum: uniform number, 0 = any free one.
        variant: heterogeneous type of a Nao.
        robot: name of the robot.
        words: words that command the robot's joints, by joint; needed where they differ from a Nao's.
    """

    team: str
    unum: int
    variant: int = 0
    robot: str = "nao"
    words: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Team and number, e.g. `Red 4`."""
        return f"{self.team} {self.unum or '(any number)'}"


class Speech(Protocol):
    """The texts of one agent, in the dialect of its server.

    Attributes:
        opening: first message of all, without a `(syn)`.
        joining: message once the robot is there; empty if the first one has said everything.
    """

    opening: str
    joining: str

    def read(self, message: bytes) -> Percept:
        """Read one message, given without its length; `PerceptError` if it is no perception."""

    def write(self, answer: Answer) -> str:
        """Write an answer, without the `(syn)`."""


class ClassicSpeech:
    """The classic dialect; see `Speech`."""

    def __init__(self, registration: Registration) -> None:
        self.opening = scene_command(registration.variant, registration.robot)
        self.joining = init_command(registration.team, registration.unum)
        self.read = read_percept
        self.write = AnswerWriter(registration.words).write


class SessionState(Enum):
    """Progress of a session."""

    CREATING = "waits for its robot"
    JOINING = "waits for its number"
    PLAYING = "plays"
    ENDED = "has ended"


class Session:
    """One agent on one connection, which asks for a robot at once; without a `speech` it speaks the classic dialect.

    Attributes:
        became: side and number that the server has given, empty before.
        answered: number of percepts answered while playing.
        trouble: reason of the session's end, empty if the server went away while it played.

    Raises:
        ConnectionLostError: no server listens there.
    """

    def __init__(
        self, agent: ClientAgent, registration: Registration, host: str, port: int, speech: Speech | None = None
    ) -> None:
        self.registration = registration
        self.state = SessionState.CREATING
        self.became = ""
        self.answered = 0
        self.trouble = ""
        self._agent = agent
        self._speech = speech or ClassicSpeech(registration)
        self._waited = 0
        self._client = ClassicClient(host, port, CONNECT_TIMEOUT)
        self._send(self._speech.opening + SYNCHRONISE)

    def fileno(self) -> int:
        """Number of the socket, for selectors."""
        return self._client.fileno()

    def close(self) -> None:
        """Leave."""
        self._client.close()
        self.state = SessionState.ENDED

    def receive(self) -> None:
        """Take all messages that have arrived and answer them; afterwards `state` may be `ENDED`."""
        try:
            messages = self._client.receive_some()
        except ConnectionLostError as error:
            return self._end(str(error))
        for message in messages[:-1]:
            self._take(message, is_last=False)
        if messages:
            self._take(messages[-1], is_last=True)
        return None

    def _take(self, message: bytes, *, is_last: bool) -> None:
        try:
            percept = self._speech.read(message)
        except PerceptError:
            # Even then the server waits for us in lock-step.
            return self._send(SYNCHRONISE)
        if percept.game.unum:
            self.state = SessionState.PLAYING
            self.became = f"{percept.game.side} {percept.game.unum}"
        if self.state is not SessionState.PLAYING:
            return self._join()
        if not is_last:
            return self._agent.notice(percept)
        self.answered += 1
        return self._send(self._speech.write(self._agent.act(percept)) + SYNCHRONISE)

    def _join(self) -> None:
        if self.state is SessionState.CREATING:
            self.state = SessionState.JOINING
            return self._send(self._speech.joining + SYNCHRONISE)
        self._waited += 1
        if self._waited > PATIENCE:
            return self._end(f"the server did not accept {self.registration}; its log says why")
        return self._send(SYNCHRONISE)

    def _send(self, text: str) -> None:
        try:
            self._client.send(text)
        except ConnectionLostError as error:
            self._end(str(error))

    def _end(self, reason: str) -> None:
        if self.state is not SessionState.PLAYING:
            self.trouble = reason
        self.close()


def run_sessions(sessions: Sequence[Session], on_change: Callable[[Session], None] = lambda session: None) -> None:
    """Serve sessions until all have ended, and call `on_change` with each whose state has changed.

    On an interrupt all are closed.
    """
    with selectors.DefaultSelector() as selector:
        for session in sessions:
            selector.register(session, selectors.EVENT_READ, session)
        try:
            while selector.get_map():
                for key, _ in selector.select():
                    served: Session = key.data
                    before = served.state
                    served.receive()
                    if served.state is SessionState.ENDED:
                        selector.unregister(key.fd)
                    if served.state is not before:
                        on_change(served)
        finally:
            for session in sessions:
                session.close()
