"""A client of the agent port: its robot, its commands since the last cycle, and the limits on its commands."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
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
        synchronises: whether it has ever said by `(syn)`, or as all do where each message is one, that it has answered.
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


NEVER_SYNCHRONISED = "it has never sent (syn)"
"""Part of the reason why lock-step drops an agent for real time."""

_MORE_PATIENCE = "raise --silent-timeout (silent_timeout), 0 = no limit"

_NUMBER = attrgetter("number")


class Awaited:
    """Agents of one server that have not answered the last percepts.

    Attributes:
        agents: agents that have not answered yet.
        lockstep: whether the next cycle waits for them, so that silent ones have to be disconnected.
        others_wait: function that says whether participants of other servers have answered and wait for agents here.
    """

    def __init__(self, settings: AgentServerSettings, clock: Callable[[], float]) -> None:
        self.agents: set[AgentConnection] = set()
        self.lockstep = False
        self.others_wait: Callable[[], bool] = lambda: False
        self._settings, self._clock = settings, clock
        self._players: Collection[AgentConnection] = ()
        self._delivered_at = clock()
        self._others_wait_since: float | None = None
        self._first_answer_at: float | None = None

    def begin(self, players: Collection[AgentConnection]) -> None:
        """Wait for the players, to whom percepts have just been delivered; the server takes out players that leave."""
        self._delivered_at, self._players = self._clock(), players
        self.agents = {agent for agent in players if agent.is_read}
        self._others_wait_since = self._first_answer_at = None

    def answered(self, agent: AgentConnection) -> None:
        """Stop waiting for an agent; in lock-step, charge it with the time for which half of the others have waited."""
        if agent not in self.agents:
            return
        self.agents.discard(agent)
        if not self.lockstep:
            return
        now = self._first_answer_at
        if now is None:
            now = self._first_answer_at = self._clock()
        if self._others_wait_since is not None:
            agent.hold_up.answered(self._clock() - self._others_wait_since)
            return
        players = len(self._players)
        if 2 * len(self.agents) <= players:
            self._others_wait_since = now if len(self.agents) == players - 1 else self._clock()
        if agent.hold_up.debt:
            agent.hold_up.answered(0.0)

    def overdue(self, now: float) -> Iterator[tuple[AgentConnection, str]]:
        """Agents that lock-step waits for no longer, and why; agents that have just joined are let go in peace."""
        if not (self.lockstep and self.agents):
            return
        grace, limit = self._settings.grace, self._settings.silent_timeout
        silence = now - self._delivered_at
        # An agent may think as long as it likes while nobody waits for it.
        since = self._delivered_at if self.others_wait() else self._first_answer_at
        waited = 0.0 if since is None else now - since
        holding = 0.0 if self._others_wait_since is None else now - self._others_wait_since
        for agent in sorted(self.agents, key=_NUMBER):
            if agent.percepts <= grace and silence > self._settings.grace_timeout:
                self.agents.discard(agent)
            elif limit and (waited > limit or (silence > limit and agent.received and not agent.synchronises)):
                why = f"has not answered for {limit:g} s and is disconnected, since all others wait for it"
                if agent.received and not agent.synchronises:
                    why += (
                        f"; {NEVER_SYNCHRONISED}, as agents for real time do: run the server with --pacing "
                        "realtime, or make the agent send (syn) after each answer"
                    )
                yield agent, f"{why}; {_MORE_PATIENCE}"
            elif limit and (why := agent.hold_up.refusal(holding, limit)):
                yield agent, f"{why} and is disconnected; {_MORE_PATIENCE}"
