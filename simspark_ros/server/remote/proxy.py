"""`simspark proxy`: a process near the agents that gives each of them its full cycle on its own clock.

(Xu and Vatankhah, "SimSpark: An Open Source Robot Simulator Developed by the RoboCup Community", 2013, section 5.3.)
"""

from __future__ import annotations

import math
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from simspark_ros.clients.idle_probes import probe_when_idle
from simspark_ros.configuration.errors import UserError
from simspark_ros.exchange import Commands, Percepts
from simspark_ros.kernels.sockets import READ, WRITE, Selector
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.framing import FramingError, frame
from simspark_ros.server.agents.connection import AgentConnection, AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.remote.codec import (
    MAX_PERCEPTS,
    CommandsMessage,
    Hello,
    PerceptsMessage,
    PerceptsReader,
    Refusal,
    Welcome,
    decode,
    encode,
)
from simspark_ros.server.remote.ledger import LATE, client_name
from simspark_ros.server.remote.serialization import CodecError
from simspark_ros.server.settings import ProxySettings
from simspark_ros.server.signals import Signals
from simspark_ros.server.tcp.client_log import LOG, Logger
from simspark_ros.server.tcp.connection import FramedSocket
from simspark_ros.server.tcp.framed_server import CHECK_INTERVAL, ServerContext
from simspark_ros.terminal import log_lines

_CHUNK = 1 << 18
_PATIENCE = 10.0
"""Longest time for the simulator to accept the connection and to answer the hello, s."""


class UpstreamError(UserError):
    """The simulator cannot be reached, refuses the proxy or is gone; the message names it and the remedy."""


class Upstream(Protocol):
    """The simulator as a proxy sees it; `inbox` has the messages that came in."""

    inbox: deque[bytes]

    @property
    def idle(self) -> bool:
        """Whether all that was sent before is on its way."""

    def send(self, payload: bytes) -> None:
        """Send one message; only when idle."""


class TcpUpstream:
    """The simulator at the other end of a TCP connection.

    Attributes:
        inbox: messages that came in; to be emptied after each poll of the selector.
        lost: why the connection ended, empty while it stands.
        limit: longest wait of the simulator for the commands of a cycle, s.

    Raises:
        UpstreamError: there is no simulator, or it refuses this proxy.
    """

    def __init__(self, host: str, port: int, hello: Hello, selector: Selector) -> None:
        self.inbox: deque[bytes] = deque()
        self.lost = ""
        self._address = f"{host}:{port}"
        self._selector = selector
        try:
            self._socket = socket.create_connection((host, port), _PATIENCE)
        except OSError as error:
            raise UpstreamError(
                f"no simulator at {self._address}: {error}; is `simspark serve --proxy-port {port}` running?"
            ) from None
        self._messages = FramedSocket(self._socket, MAX_PERCEPTS, _CHUNK)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            probe_when_idle(self._socket)
            self.limit = self._shake_hands(hello)
        except BaseException:
            self._socket.close()
            raise
        self._socket.setblocking(False)
        selector.register(self._socket.fileno(), READ, self._serve)

    @property
    def idle(self) -> bool:
        """Whether all that was sent before is on its way."""
        return not self._messages.tail and not self.lost

    def send(self, payload: bytes) -> None:
        """Send one message; only when idle."""
        self._transmit(frame(payload))

    def close(self) -> None:
        """Disconnect."""
        self._selector.unregister(self._socket.fileno())
        self._socket.close()

    def _shake_hands(self, hello: Hello) -> float:
        try:
            self._socket.sendall(frame(encode(hello)))
            while not self.inbox:
                self.inbox.extend(self._messages.receive())
            answer = decode(self.inbox.popleft(), Welcome, Refusal)
        except EOFError:
            raise UpstreamError(f"{self._address} closed the connection; is this its proxy port?") from None
        except (OSError, FramingError, CodecError) as error:
            raise UpstreamError(f"{self._address} does not answer like a simulator's proxy port: {error}") from None
        if isinstance(answer, Welcome):
            return answer.limit
        assert isinstance(answer, Refusal)
        raise UpstreamError(f"{self._address}: {answer.reason}")

    def _serve(self, mask: int, _chunk: None) -> None:
        if mask & WRITE and not self.lost:
            self._transmit(self._messages.tail)
        if mask & READ and not self.lost:
            self._receive()

    def _transmit(self, data: bytes) -> None:
        try:
            self._messages.transmit(data)
        except OSError as error:
            self._lose(f"is gone: {error.strerror}")
        else:
            writing = 0 if self.idle else WRITE
            self._selector.register(self._socket.fileno(), READ | writing, self._serve)

    def _receive(self) -> None:
        try:
            self.inbox.extend(self._messages.receive())
        except EOFError:
            self._lose("closed the connection")
        except OSError as error:
            self._lose(f"is gone: {error.strerror}")
        except FramingError as error:
            self._lose(f"cannot be understood: {error}")

    def _lose(self, why: str) -> None:
        self.lost = f"the simulator at {self._address} {why}"
        self._selector.unregister(self._socket.fileno())


_IDLE = 0.25
"""Time without percepts after which simulated time counts as standing still and commands pass at once, s."""


class ProxyAgents(AgentServer):
    """An agent port that counts late answers."""

    def count_late(self, cycle: float) -> None:
        """Count agents that have not answered the last percepts within a cycle (s); the log names each once."""
        for agent in self.unanswered():
            text = f"did not answer within {1000 * cycle:g} ms; its command counts for the next cycle"
            self.reject(agent, LATE, text, f"{LATE}: {client_name(agent.key, agent.robot)}")

    def late(self) -> dict[str, int]:
        """Late answers so far by agent, for connected agents that had any."""
        return {client_name(a.key, a.robot): a.rejected[LATE] for a in self.agents if LATE in a.rejected}

    def _closed(self, client: AgentConnection) -> None:
        super()._closed(client)
        if LATE in client.rejected:
            name, count = client_name(client.name, client.robot), client.rejected[LATE]
            self.log.info(f"{name}: was late in {count} of {client.percepts} cycles")


class ProxyCore:
    """Forwards perception at once and commands when the agents have had their time.

    Attributes:
        missed: cycles that the simulator ran on without this proxy's commands.
    """

    def __init__(
        self,
        settings: ProxySettings,
        agents: AgentServerSettings | None = None,
        *,
        log: Logger = LOG,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        profile = load_dialect(settings.profile)
        agents = agents or AgentServerSettings.of(settings)
        self.selector = Selector()
        self.missed = 0
        self._settings = settings
        self._clock = clock
        self._reader = PerceptsReader()
        self._cycle = 0
        self._deadline: float | None = None
        self._waits = False
        self._input = False
        self._percepts_at = self._sent_at = -math.inf
        try:
            self.agents = ProxyAgents(agents, profile, ServerContext(self.selector, log, clock))
        except BaseException:
            self.selector.close()
            raise

    def step(self, upstream: Upstream, timeout: float) -> None:
        """Serve agents and simulator for `timeout` s at most; an `UpstreamError` if the simulator makes no sense."""
        self._input |= self.selector.serve(min(timeout, self._patience(upstream)))
        if self._is_over():
            # Input that arrived before the deadline counts, read or not.
            self.selector.serve(0.0)
        self.agents.check_timeouts()
        while upstream.inbox:
            self._take_in(upstream.inbox.popleft(), upstream)
        if self._deadline is None:
            self._pass_on(upstream)
        elif self._is_over() or (self._settings.early and self.agents.participants and self.agents.ready):
            self._answer(upstream)

    def close(self) -> None:
        """Disconnect all agents and give the port back."""
        self.agents.close()
        self.selector.close()

    def _patience(self, upstream: Upstream) -> float:
        """Time in which nothing has to be done, s."""
        due = self._deadline
        if due is None and self._input:
            due = self._next_passing
        if due is None or not upstream.idle:
            return CHECK_INTERVAL
        return min(CHECK_INTERVAL, max(0.0, due - self._clock()))

    def _is_over(self) -> bool:
        return self._deadline is not None and self._clock() >= self._deadline

    def _take_in(self, payload: bytes, upstream: Upstream) -> None:
        try:
            message = decode(payload, PerceptsMessage, Refusal, Welcome)
            if isinstance(message, PerceptsMessage):
                self._forward(self._reader.read(message), message.waits, upstream)
            elif isinstance(message, Refusal):
                raise UpstreamError(f"the simulator disconnects this proxy: {message.reason}")
        except CodecError as error:
            raise UpstreamError(f"a message of the simulator is wrong: {error}") from None

    def _forward(self, percepts: Percepts, waits: bool, upstream: Upstream) -> None:
        """Send perception to the agents, whose time begins now."""
        if self._deadline is not None:
            if self._waits and self.agents.participants:
                self.missed += 1
                if self.missed == 1:
                    self.agents.log.warning(
                        "the simulator did not wait for this proxy, so its commands count for the next cycle; raise "
                        "the simulator's --proxy-limit, or check the network (more of this is counted, not logged)"
                    )
            self._answer(upstream)
        self.agents.deliver(percepts)
        self._cycle, self._waits = percepts.cycle, waits
        self._percepts_at = self._clock()
        self._deadline = self._percepts_at + (self._settings.cycle if self.agents.participants else 0.0)

    def _answer(self, upstream: Upstream) -> None:
        """Send the agents' commands, unless earlier commands are still on their way."""
        if not upstream.idle:
            return
        if self._is_over():
            self.agents.count_late(self._settings.cycle)
        self._deadline = None
        self._send(self.agents.take(), upstream)

    def _pass_on(self, upstream: Upstream) -> None:
        """Pass on input between two cycles, while time stands still or no agent has a robot."""
        if self._input and upstream.idle and self._clock() >= self._next_passing:
            commands = self.agents.take()
            if commands.actions or commands.rejected or len(commands.handles):
                self._send(commands, upstream)
            self._input = False

    @property
    def _next_passing(self) -> float:
        wait = _IDLE if self.agents.participants else self._settings.cycle
        return max(self._percepts_at + wait, self._sent_at + self._settings.cycle)

    def _send(self, commands: Commands, upstream: Upstream) -> None:
        self._input = False
        self._sent_at = self._clock()
        sound = tuple(action for action in commands.actions if action.is_finite)
        upstream.send(encode(CommandsMessage(replace(commands, answers=self._cycle, actions=sound))))


def run_proxy(settings: ProxySettings) -> int:
    """Run a proxy until SIGINT, SIGTERM or the end of the simulator; returns the exit status."""
    settings = replace(settings, name=settings.name or socket.gethostname()[:64] or "proxy")
    log_lines()
    ended: list[bool] = []
    with ExitStack() as stack:
        Signals().on_signal(lambda: ended.append(True))
        core = ProxyCore(settings)
        stack.callback(core.close)
        host, port = settings.server
        upstream = TcpUpstream(host, port, Hello(settings.name, settings.cycle), core.selector)
        stack.callback(upstream.close)
        print(_announcement(settings, core, upstream.limit), flush=True)
        try:
            while not (ended or upstream.lost):
                core.step(upstream, CHECK_INTERVAL)
        except UpstreamError as error:
            upstream.lost = str(error)
        _summarise(core)
        if upstream.lost:
            LOG.warning(f"{upstream.lost}; the proxy ends")
    return 1 if upstream.lost else 0


def _announcement(settings: ProxySettings, core: ProxyCore, limit: float) -> str:
    early = ", or less when all have answered" if settings.early else ""
    return (
        f"proxy '{settings.name}' of {settings.server[0]}:{settings.server[1]}; the server waits {limit:g} s at most\n"
        f"  agents    {settings.bind}:{core.agents.port}   each has {1000 * settings.cycle:g} ms a cycle{early}\n"
        "  Ctrl-C ends it."
    )


def _summarise(core: ProxyCore) -> None:
    late = ", ".join(f"{name} {count}" for name, count in core.agents.late().items())
    LOG.info(f"late answers: {late or 'none'}; cycles that the simulator ran without this proxy: {core.missed}")
