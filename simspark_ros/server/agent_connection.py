"""A client of the agent port: its robot, its commands since the last cycle, and the limits on its commands."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.ports import AGENT_PORT
from simspark_ros.exchange import Action, RobotLayout
from simspark_ros.protocol.agent.decoder import Decoded
from simspark_ros.server.hold_up import HoldUp
from simspark_ros.server.tcp.connection import Connection
from simspark_ros.server.tcp.ports import PortSettings


@dataclass(frozen=True)
class AgentServerSettings(PortSettings):
    """Port of classic agents (protocol reference, sections 1 to 3); see `PortSettings` for what all ports have.

    When all connections are taken, a new client takes the place of one that has never sent anything, if there is one.
    A client that has used up its input of a cycle counts as one that has answered.

    Attributes:
        max_actions: commands other than joint speeds (init, beam, say, ...) that a client may give per cycle; no
            honest one gives more than five.
        max_inits: inits that a client may send at a time.
        init_interval: cycles after which a client may send a further init.
        max_creations: robots made at once, because each costs milliseconds; the others wait, on average a cycle each.
        max_departures: robots of disconnected clients removed at once; the others wait, on average half a cycle each.
        scene_timeout: time after which a client that never got a robot is disconnected, s.
        silent_timeout: time after which a client with a robot that others wait for in lock-step is disconnected, s; so
            is one that has held up the others by six times this time in all; 0 = never.
        grace: number of first percepts for which any message of a client that has not used `(syn)` yet is an answer,
            and no client is waited for longer than `grace_timeout`: some clients wait for a percept after
            `(scene ..)` and after `(init ..)` and send both without `(syn)`.
        grace_timeout: longest wait for a client during its `grace`, s; the classic server waits as long.
    """

    port: int = AGENT_PORT
    option: str = "--agent-port"
    kind: str = "agent"
    max_input: int = 4 * 1024
    max_actions: int = 8
    max_inits: int = 5
    init_interval: int = 50
    max_creations: int = 4
    max_departures: int = 8
    scene_timeout: float = 30.0
    silent_timeout: float = 10.0
    grace: int = 5
    grace_timeout: float = 1.0

    options: ClassVar[Mapping[str, str]] = {
        "host": "bind",
        "port": "agent_port",
        "max_clients": "max_clients",
        "max_message": "max_message",
        "scene_timeout": "scene_timeout",
        "silent_timeout": "silent_timeout",
    }


class AgentConnection(Connection):
    """A client, its robot, and its commands since the last cycle.

    Attributes:
        robot: the robot commanded by the client, None while there is none.
        percepts: number of percepts delivered to the client, sent or dropped.
        synchronises: whether it has ever sent `(syn)`.
        is_silent: whether it has sent nothing since the last percepts.
        hold_up: time for which others have waited for it in lock-step.
        inits: number of inits sent, less the number forgiven since.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        super().__init__(sock, number, settings, since)
        self.robot: RobotLayout | None = None
        self.had_robot = False
        self.knows_types = False
        self.reported = False
        self.percepts = 0
        self.synchronises = False
        self.is_silent = False
        self.hold_up = HoldUp()
        self.inits = 0.0
        self.init_cycle = 0
        self.commanded: list[Decoded] = []
        self.actions: list[Action] = []

    def may_init(self, settings: AgentServerSettings, cycle: int) -> bool:
        """Whether the client may send an init in a cycle: each one changes the layout and all that depends on it."""
        forgiven = max(0, cycle - self.init_cycle) / settings.init_interval
        self.inits = max(0.0, self.inits - forgiven)
        self.init_cycle = cycle
        if self.inits > settings.max_inits - 1:
            return False
        self.inits += 1.0
        return True
