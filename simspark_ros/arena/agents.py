"""Players in the process of the simulation, with the percepts and answers of agents of the arena's dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simspark_ros.configuration.schema import build
from simspark_ros.effectors.motor import MotorParameters
from simspark_ros.exchange import Action, Commands, Layout, Percepts
from simspark_ros.players.answer import Agent, Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.players.player import PlayerAgent
from simspark_ros.protocol.agent.answer_writer import AnswerWriter
from simspark_ros.protocol.agent.decoder import AgentDecoder, motor_commands
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.league_client import LeagueClient
from simspark_ros.protocol.agent.percept_reader import read_percept
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.protocol.framing import HEADER
from simspark_ros.robots.description import RobotDescription


@dataclass(frozen=True)
class _Player:
    """An agent, with the reader and the writer of its texts; the texts have no length in front."""

    agent: Agent
    read: Callable[[bytes], Percept]
    write: Callable[[Answer], str]

    def answer(self, message: bytes) -> bytes:
        """Answer a message of the protocol."""
        return self.write(self.agent.act(self.read(message))).encode("latin-1")


_NOTHING = Commands()


class Agents:
    """The link to players in this process, an `AgentLink`; numbers are rounded as for clients of a server.

    Attributes:
        lockstep: flag without meaning: every player answers at once.
    """

    lockstep = True

    def __init__(self, profile: Profile) -> None:
        self._encoder, self._decoder = AgentEncoder(profile), AgentDecoder(profile)
        self._has_motors = profile.commands.motors
        self._players: dict[str, _Player] = {}
        self._layout: Layout | None = None
        self._answers: dict[str, bytes] = {}

    def add(self, client: str, agent: Agent, robot: RobotDescription, team: str, unum: int) -> None:
        """Let an agent play with the robot of a client. For a player, team and number are the player's own.

        Motors that follow angles have the gains of a `PlayerAgent`; for other agents, the gains of the robot's file.
        """
        if self._has_motors:
            own = agent.gains if isinstance(agent, PlayerAgent) else None
            speech = LeagueClient(robot, own or _gains_of(robot), team, unum)
            self._players[client] = _Player(agent, speech.read, speech.write)
        else:
            self._players[client] = _Player(agent, read_percept, AnswerWriter(robot.words).write)

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
        numbers: list[float] = []
        actions: list[Action] = []
        for client, text in self._answers.items():
            decoded = self._decoder.decode(client, text)
            if decoded.handle is not None:
                handles += [decoded.handle] * len(decoded.joints)
                joints += decoded.joints
                numbers += decoded.numbers
            actions += decoded.actions
        self._answers = {}
        robots, indices, written = np.array(handles, np.int64), np.array(joints, np.int64), np.array(numbers)
        if self._has_motors:
            motors = motor_commands(robots, indices, written) if len(written) else None
            return Commands(motors=motors, actions=tuple(actions))
        return Commands(handles=robots, joints=indices, velocities=written, actions=tuple(actions))

    def deliver(self, percepts: Percepts) -> None:
        """Ask every player for its answer to these percepts."""
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


def _gains_of(robot: RobotDescription) -> dict[str, tuple[float, float]]:
    """Stiffness and damping by joint, N m/rad and N m s/rad, that the motors have until the first command."""
    specs = [spec for spec in robot.effectors if spec.kind == "motor"]
    motors = {spec.joint: build(MotorParameters, spec.parameters, spec.name) for spec in specs}
    return {joint: (motor.stiffness, motor.damping) for joint, motor in motors.items()}
