"""A proxy's connection to the simulator: nothing blocks once it stands, and waiting data are bounded."""

from __future__ import annotations

import selectors
import socket
from collections import deque
from typing import Protocol

from simspark_ros.clients.idle_probes import probe_when_idle
from simspark_ros.configuration.errors import UserError
from simspark_ros.protocol.framing import FramingError, frame
from simspark_ros.server.remote.codec import MAX_PERCEPTS, Hello, Refusal, Welcome, decode, encode
from simspark_ros.server.remote.serialization import CodecError
from simspark_ros.server.tcp.framed_socket import FramedSocket

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

    def __init__(self, host: str, port: int, hello: Hello, selector: selectors.BaseSelector) -> None:
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
        selector.register(self._socket, selectors.EVENT_READ, self._serve)

    @property
    def idle(self) -> bool:
        """Whether all that was sent before is on its way."""
        return not self._messages.tail and not self.lost

    def send(self, payload: bytes) -> None:
        """Send one message; only when idle."""
        self._transmit(frame(payload))

    def close(self) -> None:
        """Disconnect."""
        if self._socket in self._selector.get_map():
            self._selector.unregister(self._socket)
        self._socket.close()

    def _shake_hands(self, hello: Hello) -> float:
        try:
            self._socket.sendall(frame(encode(hello)))
            while not self.inbox:
                self.inbox.extend(self._messages.receive())
            answer = decode(self.inbox.popleft(), Welcome, Refusal)
        except EOFError:
            raise UpstreamError(f"{self._address} closed the connection; is this its port of proxies?") from None
        except (OSError, FramingError, CodecError) as error:
            raise UpstreamError(f"{self._address} does not answer as a simulator's port of proxies: {error}") from None
        if isinstance(answer, Welcome):
            return answer.limit
        assert isinstance(answer, Refusal)
        raise UpstreamError(f"{self._address}: {answer.reason}")

    def _serve(self, mask: int) -> None:
        if mask & selectors.EVENT_WRITE and not self.lost:
            self._transmit(self._messages.tail)
        if mask & selectors.EVENT_READ and not self.lost:
            self._receive()

    def _transmit(self, data: bytes) -> None:
        try:
            self._messages.transmit(data)
        except OSError as error:
            self._lose(f"is gone: {error.strerror}")
        else:
            writing = 0 if self.idle else selectors.EVENT_WRITE
            self._selector.modify(self._socket, selectors.EVENT_READ | writing, self._serve)

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
        self._selector.unregister(self._socket)
