"""The simulator's port of agent proxies: one binary message each way a cycle, and a limit on the wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from simspark_ros.configuration.limits import REMOTE_MESSAGE
from simspark_ros.effectors.create import LEAVE
from simspark_ros.exchange import Commands, Percepts
from simspark_ros.protocol.framing import frame
from simspark_ros.server.remote.codec import (
    CommandsMessage,
    Hello,
    PerceptsMessage,
    Refusal,
    Welcome,
    decode,
    encode,
    pack_layout,
    pack_percepts,
)
from simspark_ros.server.remote.ledger import LATE, Ledger, RemoteSide
from simspark_ros.server.remote.serialization import CodecError
from simspark_ros.server.remote.view import RemoteView
from simspark_ros.server.tcp.connection import Connection
from simspark_ros.server.tcp.framed_server import ALONE, FramedServer, ServerContext
from simspark_ros.server.tcp.ports import PortSettings, address_of
from simspark_ros.simulation.registry import known_effectors


@dataclass(frozen=True)
class ProxyLinkSettings(PortSettings):
    """Port of agent proxies; see `PortSettings` for what all ports have.

    Attributes:
        limit: longest wait of a cycle in lock-step for the commands of a proxy, s of wall time. It has to exceed the
            time that proxies give their agents plus the way there and back.
        hello_timeout: a client that has not said hello by then is disconnected, s.
        silent_timeout: a proxy that sends nothing for this time, although it has percepts to answer, is dropped, s.
    """

    option: str = "--proxy-port"
    kind: str = "proxy"
    max_clients: int = 16
    max_clients_setting: str = "max_proxies"
    max_message: int = REMOTE_MESSAGE
    send_buffer: int = 1 << 20
    # It takes up to 8 ms to decode; 64 agents that command all their joints need 20 kB.
    max_input: int = 32 * 1024
    limit: float = 0.25
    hello_timeout: float = 5.0
    silent_timeout: float = 10.0
    max_agents: int = 64

    options: ClassVar[Mapping[str, str]] = {
        "host": "bind",
        "port": "proxy_port",
        "limit": "proxy_limit",
        "max_clients": "max_proxies",
        "max_message": "max_proxy_message",
    }


class _Proxy(Connection):
    """A connection; its account and view are None until its hello and the first percepts."""

    remote: RemoteSide | None = None
    view: RemoteView | None = None


class ProxyLink(FramedServer[_Proxy]):
    """An `AgentLink` to any number of proxies.

    If the simulation has two threads, `deliver` runs in the second one beside physics, but never while another method
    runs.

    Attributes:
        lockstep: whether the simulation waits for all participants; follows the pacing.
    """

    client_class = _Proxy

    def __init__(self, settings: ProxyLinkSettings, context: ServerContext = ALONE) -> None:
        super().__init__(settings, context)
        self.lockstep = False
        self._settings = settings
        # A proxy is no trainer.
        self._ledger = Ledger(settings.max_agents, {LEAVE, *known_effectors()})
        self._revision: int | None = None
        self._delivered_at = self._clock()

    def announced(self, host: str) -> str:
        """The line of the server's announcement."""
        note = "" if self.lockstep else "   (the server does not wait for them; --pacing lockstep does)"
        return f"  proxies   {host}:{self.port}   simspark proxy --server {host}:{self.port}{note}"

    def told(self) -> dict[str, object]:
        """The entry of the server's announcement for programs."""
        return {"proxy_port": self.port}

    @property
    def participants(self) -> int:
        """How many clients of all proxies have a robot in the last delivered percepts."""
        return self._ledger.participants

    @property
    def ready(self) -> bool:
        """Whether every proxy has answered the last delivered percepts, or the limit is over."""
        return self._clock() - self._delivered_at >= self._settings.limit or self._ledger.is_ready

    def take(self) -> Commands:
        """Everything that came in since the last call, proxies in the order in which they connected."""
        if self.lockstep:
            self._count_late()
        for proxy in tuple(self._connections.values()):
            if proxy.spent:
                self.reset_quota(proxy)
        return self._ledger.take()

    def deliver(self, percepts: Percepts) -> None:
        """Send every proxy its part of the percepts, and wait for its answer from now on."""
        self._ledger.cycle = percepts.cycle
        if percepts.layout.revision != self._revision:
            self._revision = percepts.layout.revision
            self._ledger.adopt(percepts.layout, percepts.cycle)
        for proxy in tuple(self._connections.values()):
            if proxy.remote:
                self._send_percepts(proxy, proxy.remote, percepts)
        self._delivered_at = self._clock()

    def _send_percepts(self, proxy: _Proxy, remote: RemoteSide, percepts: Percepts) -> None:
        view, layout = proxy.view, b""
        if view is None or view.layout.revision != percepts.layout.revision:
            view = RemoteView(percepts.layout, remote.prefix)
            layout = pack_layout(view.layout)
        message = PerceptsMessage(percepts.cycle, self.lockstep, pack_percepts(view.of(percepts)), layout)
        if self.send(proxy, frame(encode(message))):
            proxy.view = view
            remote.delivered = percepts.cycle
            if remote.silent_since is None:
                remote.silent_since = self._clock()

    def _count_late(self) -> None:
        late = self._ledger.count_late()
        for proxy in self._connections.values():
            if proxy.remote in late:
                text = f"did not send its commands within {self._settings.limit:g} s; they count for the next cycle"
                self.record_rejection(proxy, LATE, text)

    def _received(self, client: _Proxy, payload: bytes) -> None:
        try:
            if client.remote is None:
                self._greet(client, decode(payload, Hello))
            else:
                self._collect(client, client.remote, decode(payload, CommandsMessage))
        except CodecError as error:
            self.send(client, frame(encode(Refusal(f"the simulator refused a message of your proxy: {error}"))))
            self.drop(client, f"is disconnected, since a message of it is wrong: {error}")

    def _greet(self, proxy: _Proxy, hello: Hello) -> None:
        label = f"proxy '{hello.name}'"
        proxy.name = f"{label} ({address_of(proxy.sock)})"
        # Without the slash of bridges' prefixes.
        proxy.remote = RemoteSide(f"{proxy.key}:", label)
        self._ledger.add(proxy.remote)
        limit = self._settings.limit
        if hello.cycle >= limit:
            text = f"gives its agents {hello.cycle:g} s, but the simulator waits {limit:g} s: its commands will be late"
            self.log.warning(f"{proxy.name}: {text}; raise --proxy-limit")
        else:
            self.log.info(f"{proxy.name}: joins, gives its agents {hello.cycle:g} s a cycle")
        self.send(proxy, frame(encode(Welcome(limit))))

    def _collect(self, proxy: _Proxy, remote: RemoteSide, message: CommandsMessage) -> None:
        # A proxy has no monitors.
        commands = replace(message.commands, wants_poses=False)
        left_out = self._ledger.accept(remote, replace(message, commands=commands))
        remote.silent_since = None
        if left_out:
            self.record_rejection(proxy, "no action of agents", "sends actions that agents may not use")
            self._ledger.count(f"{remote.label}: no action of agents", left_out)

    def _closed(self, client: _Proxy) -> None:
        if client.remote is None:
            return
        if client.remote.clients:
            count = len(client.remote.clients)
            self.log.warning(f"{client.name}: its {count} clients leave, and the match goes on without them")
        self._ledger.remove(client.remote)

    def _expendable(self, client: _Proxy) -> str:
        return "" if client.remote else "has not said that it is a proxy"

    def _check(self, now: float) -> None:
        hello, limit = self._settings.hello_timeout, self._settings.silent_timeout
        silent = self._ledger.silent(now - limit)
        for proxy in tuple(self._connections.values()):
            if proxy.remote is None and now - proxy.since > hello:
                self.drop(proxy, f"did not say within {hello:g} s that it is a proxy; agents use another port")
            elif proxy.remote in silent and proxy.remote.robots:
                self.drop(proxy, f"has sent nothing for {limit:g} s and is disconnected")
