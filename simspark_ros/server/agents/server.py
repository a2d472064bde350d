"""The port of classic agents: turns messages into one `Commands` a cycle, and `Percepts` into messages."""

from __future__ import annotations

import re
import socket
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simspark_ros.effectors.create import CREATING, LEAVE
from simspark_ros.exchange import Action, Commands, Layout, Notice, Percepts
from simspark_ros.kernels import compiled
from simspark_ros.kernels.joint_commands import join_speeds
from simspark_ros.protocol.agent.decoder import AgentDecoder, motor_commands
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.server.agents.connection import AgentConnection, AgentServerSettings, Awaited
from simspark_ros.server.tcp.framed_server import ALONE, FramedServer, ServerContext
from simspark_ros.server.tcp.ports import address_of

if TYPE_CHECKING:
    # Knows PyBullet, which a server without pictures need not have.
    from simspark_ros.server.pictures.source import AgentPictures

_MAX_REASONS = 32
"""Most reasons counted per client; later ones are counted as `other`."""

_SLOW = "messages of agents are slow: install a C compiler and install simspark_ros again, to compile its kernels"

_VARYING = re.compile(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\.\.\.)?|\d+ ?""")
"""Parts that differ between rejections of one kind: quotations and numbers."""

_NUMBER = attrgetter("number")


_NO_PICTURES: Mapping[int, str] = MappingProxyType({})


class AgentServer(FramedServer[AgentConnection]):
    """Serves classic agents, for a simulator in this or another process.

    Attributes:
        awaited: participants that have not answered the last percepts.
        refusal: reason for which no agent may play and connections are closed at once; empty = agents may play.
        pictures: source of pictures for agents whose profile has them.
    """

    client_class = AgentConnection

    def __init__(self, settings: AgentServerSettings, profile: Profile, context: ServerContext = ALONE) -> None:
        super().__init__(settings, context)
        if not compiled():
            self.log.warning(_SLOW)
        self.awaited = Awaited(settings, self._clock)
        self.refusal = ""
        self.pictures: AgentPictures | None = None
        self._settings = settings
        self._rules = profile.commands
        self._decoder = AgentDecoder(profile)
        self._encoder = AgentEncoder(profile)
        self._reported_kinds: set[str] = set()
        self._promises_pictures = profile.pictures is not None
        self._revision: int | None = None
        self._players: list[AgentConnection] = []
        self._departed: list[AgentConnection] = []
        self._rejected: Counter[str] = Counter()
        self._named: tuple[list[int], list[list[int]]] = ([], [])
        self._handles: NDArray[np.int64] = np.zeros(0, np.int64)
        self._joints: NDArray[np.int64] = np.zeros(0, np.int64)
        self._types = b""
        self._cycle = 0
        self._answered = 0
        # How many robots may be made at once now, and whether none may before that is `max_creations` again: a batch
        # every few cycles is cheaper than a robot in each, as tables of all robots are made anew for each batch.
        self._room, self._is_full = settings.max_creations, False

    def announced(self, host: str) -> str:
        """The line of the server's announcement, beside a league's port."""
        return f"  agents    {host}:{self.port}   classic ones: simspark wave --port {self.port}"

    def told(self) -> dict[str, object]:
        """The entry of the server's announcement for programs."""
        return {"classic_port": self.port}

    @property
    def lockstep(self) -> bool:
        """Whether the next cycle waits for all participants, so that silent ones have to be disconnected."""
        return self.awaited.lockstep

    @lockstep.setter
    def lockstep(self, value: bool) -> None:
        self.awaited.lockstep = value

    @property
    def participants(self) -> int:
        """How many connected clients have a robot in the last delivered percepts."""
        return len(self._players)

    @property
    def robotless(self) -> int:
        """How many connected clients have no robot."""
        return len(self._connections) - len(self._players)

    @property
    def ready(self) -> bool:
        """Whether every participant has answered the last delivered percepts."""
        return not self.awaited.agents

    @property
    def holds_back(self) -> bool:
        """Whether the last `take` left something for the next one: robots are made a few a cycle."""
        return any(agent.actions for agent in self.agents)

    @property
    def agents(self) -> tuple[AgentConnection, ...]:
        """All connected clients."""
        return tuple(self._connections.values())

    def unanswered(self) -> list[AgentConnection]:
        """Clients with a robot that have not answered the last percepts, with `(syn)` if they use it.

        Clients that have received few percepts are left out, see `AgentServerSettings.grace`.
        """
        grown = (agent for agent in self._players if agent.percepts > self._settings.grace)
        return [agent for agent in grown if (agent in self.awaited.agents if agent.synchronises else agent.is_silent)]

    def reject(self, agent: AgentConnection, reason: str, text: str, reported: str) -> None:
        """Log a client's rejected input, count it under `reason`, report it with the next commands as `reported`."""
        self.record_rejection(agent, reason, text)
        self._rejected[reported] += 1

    def drop_all(self, why: str) -> None:
        """Disconnect all agents that the simulator has heard of. why: reason for the log."""
        for agent in tuple(self._connections.values()):
            if agent.reported or agent.robot:
                self.drop(agent, why)

    def take(self) -> Commands:
        """Return all that was received since the last call, clients in the order in which they connected."""
        if not self.awaited.agents:
            self._answered = self._cycle
        agents = self._in_order()
        numbers = self._take_numbers(agents)
        actions: list[Action] = []
        creations, most = 0, self._settings.max_creations
        self._room = min(self._room + 1, most)
        self._is_full = self._is_full and self._room < most
        for agent in agents:
            if agent.actions:
                creates = agent.robot is None and any(action.kind in CREATING for action in agent.actions)
                if not creates or (creations < self._room and not self._is_full):
                    creations += creates
                    actions += agent.actions
                    agent.actions = []
                    agent.reported = True
            if agent.is_open:
                if agent.spent:
                    self.reset_quota(agent)
            else:
                actions.append(Action(agent.key, LEAVE))
        self._room -= creations
        self._is_full = self._is_full or self._room <= 0
        answers, players, rejected = self._answered, len(self._players), dict(self._rejected)
        self._rejected.clear()
        if self._rules.motors:
            motors = motor_commands(self._handles, self._joints, numbers) if len(numbers) else None
            return Commands(answers, players, motors=motors, actions=tuple(actions), rejected=rejected)
        return Commands(
            answers, players, self._handles, self._joints, numbers, actions=tuple(actions), rejected=rejected
        )

    def _take_numbers(self, agents: Iterable[AgentConnection]) -> NDArray[np.float64]:
        """Take the numbers of all joint commands; `_handles` and `_joints` then have their robots and joints."""
        handles: list[int] = []
        joints: list[list[int]] = []
        written: list[list[float]] = []
        for agent in agents:
            if agent.commanded and agent.robot:
                for decoded in agent.commanded:
                    handles.append(agent.robot.handle)
                    joints.append(decoded.joints)
                    written.append(decoded.numbers)
                agent.commanded = []
        # Mostly the same robots command the same joints as in the cycle before, and their lists are the same objects.
        if self._named != (handles, joints):
            self._named = handles, joints
            self._handles = np.repeat(np.array(handles, np.int64), list(map(len, joints)))
            self._joints = np.array([joint for each in joints for joint in each], np.int64)
        numbers = np.empty(len(self._joints) * (5 if self._rules.motors else 1))
        join_speeds(written, numbers)
        return numbers

    def deliver(self, percepts: Percepts) -> None:
        """Send a cycle's percepts to every client with a robot, and wait for their answers from now on."""
        if percepts.layout.revision != self._revision:
            self._adopt(percepts.layout)
        self._tell_types()
        if percepts.notices:
            self.notify(percepts.notices)
        if self._rules.joins:
            self._drop_refused(percepts.notices)
        self._cycle = percepts.cycle
        self.awaited.begin(self._players)
        if not self._players:
            return
        pictures = self.pictures.exchange(percepts) if self.pictures else _NO_PICTURES
        messages = self._encoder.encode(percepts, pictures)
        if len(self._encoder.unknown_kinds) > len(self._reported_kinds):
            self._report_unknown_kinds()
        players = tuple(self._players)
        for agent in players:
            agent.percepts += 1
            agent.is_silent = True
        self.send_to_all(players, [messages[agent.key] for agent in players])

    def _drop_refused(self, notices: Iterable[Notice]) -> None:
        """Disconnect agents whose only message for joining was refused."""
        for notice in notices:
            agent = self._connections.get(notice.client)
            if agent is not None and agent.robot is None and not agent.actions:
                self.drop(agent, "is disconnected, since it got no robot")

    def _admit(self, sock: socket.socket) -> None:
        if not self.refusal:
            super()._admit(sock)
            return
        self.log.warning(f"a connection from {address_of(sock)} was closed: {self.refusal}")
        sock.close()

    def _received(self, client: AgentConnection, payload: bytes) -> None:
        client.is_silent = False
        decoded = self._decoder.decode(client.key, payload)
        if decoded.joints:
            client.commanded.append(decoded)
        if decoded.actions:
            self._take_actions(client, decoded.actions)
        if decoded.rejected:
            self._reject(client, decoded.rejected)
        if self._rules.joins and not (client.robot or client.reported or client.actions):
            self.drop(client, "its first message must be (init ROBOT TEAM NUMBER)")
            return
        if self._rules.every_message:
            client.synchronises = True
            self.awaited.answered(client)
            return
        # `(syn)` is a flag: some clients send several messages with one each in a cycle.
        if decoded.syn:
            client.synchronises = True
            self.awaited.answered(client)
        elif not client.synchronises and client.percepts <= self._settings.grace:
            self.awaited.answered(client)

    def _take_actions(self, client: AgentConnection, actions: Iterable[Action]) -> None:
        """Keep what a client may do in one cycle."""
        settings = self._settings
        for action in actions:
            if len(client.actions) >= settings.max_actions:
                self._reject(client, [f"more than {settings.max_actions} actions in one cycle"])
                return
            if action.kind == "init" and not client.may_init(settings, self._cycle):
                self._reject(client, [f"init: more than {settings.max_inits} within a short time"])
            else:
                client.actions.append(action)

    def _held_up(self, client: AgentConnection) -> None:
        self.awaited.answered(client)

    def _throttled(self, client: AgentConnection, text: str) -> None:
        self._reject(client, [text])

    def _reject(self, agent: AgentConnection, texts: Iterable[str]) -> None:
        for text in texts:
            reason = _reason(text)
            if reason not in agent.rejected and len(agent.rejected) >= _MAX_REASONS:
                reason = "other"
            self.reject(agent, reason, text, reason)

    def _tell_types(self) -> None:
        """Tell clients that have come since the last cycle which robots they may ask for."""
        if not self._types:
            return
        for agent in tuple(self._connections.values()):
            if not agent.knows_types:
                agent.knows_types = True
                self.send(agent, self._types)

    def _adopt(self, layout: Layout) -> None:
        """Follow a change of robots, teams and numbers."""
        self._revision = layout.revision
        if self._promises_pictures and self.pictures is None:
            self._promises_pictures = False
            self.log.warning("agents get no pictures: only the agent port of `simspark serve` has them")
        if layout.robot_types:
            self._types = self._encoder.types(layout)
            self._decoder.offer_types(1 + max(one.number for one in layout.robot_types))
        robots = {robot.client: robot for robot in layout.robots if robot.client}
        self._players = []
        for agent in self._connections.values():
            robot = robots.get(agent.key)
            before, agent.robot = agent.robot, robot
            agent.team, agent.unum = (robot.team, robot.unum) if robot else ("", 0)
            if (before and before.handle) != (robot and robot.handle):
                # Joint numbers of an earlier robot mean nothing to a new one.
                agent.commanded = []
            if robot:
                self._players.append(agent)
                agent.had_robot = True
                if before is None or before.handle != robot.handle:
                    self._decoder.bind(agent.key, robot.handle, robot.hinge_effectors)
                    self.log.info(f"{agent.name}: has a robot, {robot.robot} type {robot.variant}")
                if robot.registrations and (before is None or before.registrations != robot.registrations):
                    self.log.info(f"{agent.name}: plays as {robot.team} {robot.unum} ({robot.side})")
            elif before:
                self._decoder.unbind(agent.key)
                self.log.info(f"{agent.name}: has lost its robot")
        self._encoder.clients = frozenset(agent.key for agent in self._players)

    def _report_unknown_kinds(self) -> None:
        for kind in sorted(self._encoder.unknown_kinds - self._reported_kinds):
            self.log.info(f"agents are not told of perceptor '{kind}': the profile has no format for it and its values")
            self._reported_kinds.add(kind)

    def _closed(self, client: AgentConnection) -> None:
        self._decoder.unbind(client.key)
        self.awaited.agents.discard(client)
        if client in self._players:
            self._players.remove(client)
        # Clients that came and went between two cycles are unknown to the simulator.
        if client.reported or client.robot:
            self._departed.append(client)

    def _expendable(self, client: AgentConnection) -> str:
        return "" if client.received else "has never sent anything"

    def _check(self, now: float) -> None:
        limit = self._settings.scene_timeout
        for agent in list(self._connections.values()):
            if agent.actions:
                # The client waits for the simulator, which may be paused.
                agent.since = now
            elif not agent.had_robot and now - agent.since > limit:
                first = "(init ROBOT TEAM NUMBER)" if self._rules.joins else "(scene ...)"
                self.drop(agent, f"got no robot within {limit:g} s; it must send {first} after connecting")
        for agent, why in self.awaited.overdue(now):
            self.drop(agent, why)

    def _in_order(self) -> Iterable[AgentConnection]:
        if not self._departed:
            return tuple(self._connections.values())
        agents = sorted([*self._departed, *self._connections.values()], key=_NUMBER)
        self._departed = []
        return agents


def _reason(text: str) -> str:
    """Kind of a rejection, without the client's own text: the number of kinds must stay small."""
    return _VARYING.sub("", text).partition(":")[0].strip() or "other"
