"""Players in the process of the simulation, with the percepts and answers of classic agents."""

from __future__ import annotations

import numpy as np

from simspark_ros.exchange import Action, Commands, Layout, Percepts
from simspark_ros.players.answer import Agent
from simspark_ros.protocol.agent.answer_writer import AnswerWriter
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.percept_reader import read_percept
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.protocol.framing import HEADER


class _Player:
    """An agent and the writer of its answers."""

    def __init__(self, agent: Agent, words: dict[str, str]) -> None:
        self._agent, self._writer = agent, AnswerWriter(words)

    def answer(self, message: bytes) -> bytes:
        """Answer a message of the protocol; both without their length."""
        return self._writer.write(self._agent.act(read_percept(message))).encode("latin-1")


_NOTHING = Commands()


class Agents:
    """The link to players in this process, an `AgentLink`; numbers are rounded as for clients of a server.

    Attributes:
        lockstep: flag without meaning: every player answers at once.
    """

    lockstep = True

    def __init__(self, profile: Profile) -> None:
        self._encoder, self._decoder = AgentEncoder(profile), AgentDecoder(profile)
        self._players: dict[str, _Player] = {}
        self._layout: Layout | None = None
        self._answers: dict[str, bytes] = {}

    def add(self, client: str, agent: Agent, words: dict[str, str]) -> None:
        """Let an agent play with the robot of a client; `words` command its joints, by the joints' names."""
        self._players[client] = _Player(agent, words)

    @property
    def participants(self) -> int:
        """Number of players."""
        return len(self._players)

    @property
    def ready(self) -> bool:
        """True: all players have answered."""
        return True

    def wait(self, timeout: float) -> None:
        """Do not wait: nothing comes from outside."""

    def take(self) -> Commands:
        """Commands of the players, in the order in which they joined."""
        if not self._answers:
            return _NOTHING
        handles: list[int] = []
        joints: list[int] = []
        velocities: list[float] = []
        actions: list[Action] = []
        for client, text in self._answers.items():
            decoded = self._decoder.decode(client, text)
            if decoded.handle is not None:
                handles += [decoded.handle] * len(decoded.joints)
                joints += decoded.joints
                velocities += decoded.numbers
            actions += decoded.actions
        self._answers = {}
        return Commands(
            handles=np.array(handles, np.int64),
            joints=np.array(joints, np.int64),
            velocities=np.array(velocities),
            actions=tuple(actions),
        )

    def deliver(self, percepts: Percepts) -> None:
        """Have every player answer."""
        if not self._players:
            return
        if percepts.layout is not self._layout:
            self._layout = percepts.layout
            for robot in percepts.layout.robots:
                if robot.client in self._players:
                    self._decoder.bind(robot.client, robot.handle, robot.hinge_effectors)
        messages = self._encoder.encode(percepts)
        there = [client for client in self._players if client in messages]
        self._answers = {client: self._players[client].answer(messages[client][HEADER:]) for client in there}

    def close(self) -> None:
        """Nothing to release."""
