"""The simulator's port of agent proxies: one binary message each way a cycle, and a limit on the wait for it."""

from __future__ import annotations

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simspark_ros.exchange import Action, Commands, Percepts, RobotLayout
from simspark_ros.protocol.agent.actions import READERS
from simspark_ros.protocol.framing import frame
from simspark_ros.server.client_log import Logger
from simspark_ros.server.ports import PortSettings, address_of
from simspark_ros.server.remote.bytes import ProxyFrameError
from simspark_ros.server.remote.frames import (
    MAX_COMMANDS,
    Kind,
    kind_of,
    pack_layout,
    pack_percepts,
    pack_refusal,
    pack_welcome,
    unpack_commands,
    unpack_hello,
)
from simspark_ros.server.remote.view import ProxyView
from simspark_ros.server.tcp_server import Connection, FramedServer

LATE = "late for its cycle"
"""Begins the reasons under which commands are counted that have to wait for the next cycle."""

_MAX_REASONS = 512
"""Different reasons counted; what comes later is counted together."""

_MAX_HANDLES = 1024
"""Robots of one proxy's clients that are remembered, many more than it can have at a time."""

_AGENT_KINDS = (READERS.keys() - {"scene"}) | {"create", "leave"}
"""Actions of agents. A proxy is no trainer."""


@dataclass(frozen=True)
class ProxyLinkSettings(PortSettings):
    """Port of agent proxies; see `PortSettings` for what all ports have.

    Attributes:
        limit: in lock-step, a cycle waits for the commands of a proxy so long at most, s of wall time. It has to
            exceed the time that proxies give their agents plus the way there and back.
        hello_timeout: who has not said by then that it is a proxy is disconnected, s.
        silent_timeout: a proxy that sends nothing for so long, although it has percepts to answer, is disconnected, s.
        max_agents: clients of one proxy at a time.
    """

    option: str = "--proxy-port"
    kind: str = "proxy"
    max_clients: int = 16
    max_message: int = MAX_COMMANDS
    send_buffer: int = 1 << 20
    max_input: int = MAX_COMMANDS
    limit: float = 0.25
    hello_timeout: float = 5.0
    silent_timeout: float = 10.0
    max_agents: int = 64


class _Proxy(Connection):
    """One proxy.

    Attributes:
        label: what it calls itself, in quotes; empty until its hello.
        view: what it is shown, None before the first percepts.
        clients: that have acted and are not gone, under the proxy's names, in the order in which they came.
        handles: of the robots that its clients have or had lately: commands for one that is gone may be on their way.
        pending: what it sent since the last cycle.
        delivered: the last cycle whose percepts it was sent.
        answered: the last cycle whose percepts it has answered.
        owing_since: when the first percepts were sent after its last message, s; None if there were none.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        super().__init__(sock, number, settings, since)
        self.label = ""
        self.view: ProxyView | None = None
        self.clients: dict[str, None] = {}
        self.handles: dict[int, None] = {}
        self.pending: list[Commands] = []
        self.delivered = 0
        self.answered = 0
        self.owing_since: float | None = None

    @property
    def prefix(self) -> str:
        """Begins the names of its clients in the simulator. Not with a slash, as those of bridges."""
        return f"{self.key}:"

    @property
    def robots(self) -> tuple[RobotLayout, ...]:
        """Robots of its clients."""
        return self.view.own if self.view else ()


class ProxyLink(FramedServer[_Proxy]):
    """An `AgentLink` to any number of proxies.

    With two threads of the simulation `deliver` runs in another one beside physics, and never while a different method
    runs.

    Attributes:
        lockstep: whether the simulation waits for all participants; to be kept up to date by whoever changes the
            pacing.
    """

    def __init__(
        self,
        settings: ProxyLinkSettings,
        selector: selectors.BaseSelector | None = None,
        log: Logger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the port.

        Args:
            settings: of port and proxies.
            selector: of another link, whose `wait` then serves both without one waiting for the other; its own by
                default.
            log: for lines that name proxy and agent.
            clock: monotonic wall clock, s.

        Raises:
            PortError: the port cannot be opened; the message names host, port and remedy.
        """
        super().__init__(settings, selector, log, clock)
        self.lockstep = False
        self._settings = settings
        self._cycle = 0
        self._judged = 0
        self._delivered_at = clock()
        self._layout: int | None = None
        self._leaving: list[Action] = []
        self._rejected: Counter[str] = Counter()
        self._reasons: set[str] = set()
        self._closed_all = False

    @property
    def participants(self) -> int:
        """How many clients of all proxies have a robot in the last delivered percepts."""
        return sum(len(proxy.robots) for proxy in self._connections.values())

    @property
    def ready(self) -> bool:
        """Whether every proxy has answered the last delivered percepts, or the limit is over."""
        if self._clock() - self._delivered_at >= self._settings.limit:
            return True
        return all(proxy.answered >= proxy.delivered for proxy in self._connections.values() if proxy.robots)

    def wait(self, timeout: float) -> None:
        """Serve proxies until something came in or the timeout (s) has passed; at once if another link polls."""
        if self._own_selector:
            self.poll(timeout)
        else:
            self.check_timeouts()

    def take(self) -> Commands:
        """Everything that came in since the last call, proxies in the order in which they connected."""
        self._judge()
        parts: list[Commands] = []
        for proxy in tuple(self._connections.values()):
            parts += proxy.pending
            proxy.pending = []
            if proxy.spent:
                self.reset_quota(proxy)
        actions = [action for part in parts for action in part.actions] + self._leaving
        self._leaving = []
        moving = [part for part in parts if len(part.handles)] or [Commands()]
        rejected, self._rejected = dict(self._rejected), Counter()
        active = [proxy.answered for proxy in self._connections.values() if proxy.robots]
        return Commands(
            answers=min(active, default=0),
            participants=self.participants,
            handles=np.concatenate([part.handles for part in moving]),
            joints=np.concatenate([part.joints for part in moving]),
            velocities=np.concatenate([part.velocities for part in moving]),
            actions=tuple(actions),
            rejected=rejected,
        )

    def deliver(self, percepts: Percepts) -> None:
        """Send every proxy its part of the percepts, and wait for its answer from now on."""
        self._cycle = percepts.cycle
        for proxy in tuple(self._connections.values()):
            if proxy.label:
                self._show(proxy, percepts)
        self._delivered_at = self._clock()

    def close(self) -> None:
        """Disconnect all proxies and give the port back; once is enough."""
        if not self._closed_all:
            self._closed_all = True
            super().close()

    def _show(self, proxy: _Proxy, percepts: Percepts) -> None:
        view, layout = proxy.view, b""
        if view is None or view.layout.revision != percepts.layout.revision:
            view = ProxyView(percepts.layout, proxy.prefix)
            layout = frame(pack_layout(view.layout))
        framed = layout + frame(pack_percepts(view.of(percepts), waits=self.lockstep))
        if self.send(proxy, framed):
            proxy.view = view
            if layout:
                _remember(proxy.handles, view.own)
            proxy.delivered = percepts.cycle
            if proxy.owing_since is None:
                proxy.owing_since = self._clock()

    def _judge(self) -> None:
        """Count, once a cycle, the agents of proxies for whose commands the cycle does not wait any longer."""
        if not self.lockstep or self._judged >= self._cycle:
            return
        self._judged = self._cycle
        for proxy in self._connections.values():
            if not proxy.robots or proxy.answered >= self._cycle:
                continue
            for robot in proxy.robots:
                self._note(f"{LATE}: {proxy.label} {who(robot.client, robot)}")
            text = f"did not send its commands within {self._settings.limit:g} s; they count for the next cycle"
            self.record_rejection(proxy, LATE, text)

    def _note(self, reason: str, count: int = 1) -> None:
        if reason not in self._reasons and len(self._reasons) >= _MAX_REASONS:
            reason = "further reports of proxies"
        self._reasons.add(reason)
        self._rejected[reason] += count

    def _connected(self, sock: socket.socket, number: int) -> _Proxy:
        return _Proxy(sock, number, self._settings, self._clock())

    def _received(self, client: _Proxy, payload: bytes) -> None:
        try:
            kind = kind_of(payload)
            if not client.label and kind is Kind.HELLO:
                self._greet(client, payload)
            elif client.label and kind is Kind.COMMANDS:
                self._collect(client, unpack_commands(payload))
            else:
                raise ProxyFrameError(f"sends a message of kind {kind.name} at the wrong time")
        except ProxyFrameError as error:
            self.send(client, frame(pack_refusal(f"your proxy {error}")))
            self.drop(client, f"is disconnected: {error}")

    def _greet(self, proxy: _Proxy, payload: bytes) -> None:
        hello = unpack_hello(payload)
        proxy.label = f"proxy '{hello.name}'"
        proxy.name = f"{proxy.label} ({address_of(proxy.sock)})"
        proxy.delivered = proxy.answered = self._cycle
        limit = self._settings.limit
        if hello.cycle >= limit:
            text = f"gives its agents {hello.cycle:g} s, and the simulator waits {limit:g} s: its commands will be late"
            self.log.warning(f"{proxy.name}: {text}; raise --proxy-limit")
        else:
            self.log.info(f"{proxy.name}: joins, gives its agents {hello.cycle:g} s a cycle")
        self.send(proxy, frame(pack_welcome(limit)))

    def _collect(self, proxy: _Proxy, commands: Commands) -> None:
        acting = {action.client for action in commands.actions}
        if len(proxy.clients.keys() | acting) > self._settings.max_agents:
            raise ProxyFrameError(f"has more than {self._settings.max_agents} clients")
        if not proxy.handles.keys() >= set(commands.handles.tolist()):
            raise ProxyFrameError("commands a robot that is not of its clients")
        if commands.answers > proxy.delivered:
            raise ProxyFrameError(f"answers cycle {commands.answers}, which it was not sent")
        proxy.owing_since = None
        proxy.answered = max(proxy.answered, commands.answers)
        for reason, count in commands.rejected.items():
            self._note(f"{proxy.label}: {reason[:100]}", count)
        allowed = [action for action in commands.actions if action.kind in _AGENT_KINDS]
        if len(allowed) < len(commands.actions):
            self.record_rejection(proxy, "no action of agents", "asks for what agents may not")
            self._note(f"{proxy.label}: no action of agents", len(commands.actions) - len(allowed))
        for action in allowed:
            if action.kind == "leave":
                proxy.clients.pop(action.client, None)
            else:
                proxy.clients[action.client] = None
        named = tuple(replace(action, client=proxy.prefix + action.client) for action in allowed)
        if named or len(commands.handles):
            proxy.pending.append(replace(commands, actions=named, rejected={}))

    def _throttled(self, client: _Proxy) -> None:
        allowance = self._port_settings.max_input
        self.record_rejection(
            client, "too much input", f"sends more than {allowance} bytes per cycle: the rest has to wait"
        )

    def _closed(self, client: _Proxy) -> None:
        for part in client.pending:
            self._leaving += [action for action in part.actions if action.kind == "leave"]
        self._leaving += [Action(client.prefix + name, "leave") for name in client.clients]
        if client.clients:
            self.log.warning(f"{client.name}: its {len(client.clients)} clients leave, and the match goes on without")
        client.pending = []

    def _make_room(self) -> bool:
        stranger = next((proxy for proxy in self._connections.values() if not proxy.label), None)
        if stranger is None:
            return False
        self.drop(stranger, "has not said that it is a proxy and makes room for a new connection")
        return True

    def _check(self, now: float) -> None:
        hello, silent = self._settings.hello_timeout, self._settings.silent_timeout
        for proxy in tuple(self._connections.values()):
            if not proxy.label and now - proxy.since > hello:
                self.drop(proxy, f"did not say within {hello:g} s that it is a proxy; agents use another port")
            elif proxy.robots and proxy.owing_since is not None and now - proxy.owing_since > silent:
                self.drop(proxy, f"has sent nothing for {silent:g} s and is disconnected")


def _remember(handles: dict[int, None], robots: Sequence[RobotLayout]) -> None:
    """Put the handles of robots at the end, and forget the oldest ones beyond a bound."""
    for robot in robots:
        handles.pop(robot.handle, None)
        handles[robot.handle] = None
    for handle in list(handles)[:-_MAX_HANDLES]:
        del handles[handle]


def who(client: str, robot: RobotLayout | None) -> str:
    """Name an agent for people, e.g. `agent-3 (Red 7)`."""
    return f"{client} ({robot.team} {robot.unum})" if robot and robot.unum else client
