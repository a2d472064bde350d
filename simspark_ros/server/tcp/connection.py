"""One client of a server: its socket, its waiting input, and its counters.

A socket of framed messages does not block: data that cannot be sent yet wait, one message at most.
"""

from __future__ import annotations

import contextlib
import socket
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Protocol

from simspark_ros.kernels.sockets import CHUNK, READ, Selector
from simspark_ros.protocol.framing import FrameDecoder
from simspark_ros.server.tcp.ports import PortSettings, address_of, prepare


class Cutter(Protocol):
    """Finds the messages in the bytes of a connection."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take received bytes, return the complete messages; `FramingError` if the bytes cannot be messages."""


class FramedSocket:
    """One side of a connection; all its methods raise `OSError` when it is lost.

    It is read by chunks of some bytes, so that a flood of one connection leaves time for the others.

    Attributes:
        tail: end of a message that could not be sent completely yet.
        frames: finds the messages in the bytes that come.
    """

    def __init__(self, sock: socket.socket, max_message: int, chunk: int) -> None:
        self.sock = sock
        self.tail = b""
        self.frames = self._cutter(max_message)
        self._chunk = chunk

    def _cutter(self, max_message: int) -> Cutter:
        """The cutter for messages of at most `max_message` bytes."""
        return FrameDecoder(max_message)

    def transmit(self, data: bytes) -> bool:
        """Send a framed message, or the tail if there is one, as far as possible now; returns whether all is sent."""
        try:
            count = self.sock.send(data)
        except BlockingIOError:
            count = 0
        self.tail = data[count:]
        return not self.tail

    def receive(self) -> list[bytes]:
        """Receive bytes, and return the messages that are complete now.

        Raises:
            EOFError: the other side has closed the connection.
            FramingError: the received bytes cannot be messages.
        """
        try:
            chunk = self.sock.recv(self._chunk)
        except BlockingIOError:
            return []
        if not chunk:
            raise EOFError
        return self.frames.feed(chunk)


class WakeUp:
    """An entry of a selector that other threads and signal handlers can make ready."""

    def __init__(self, selector: Selector) -> None:
        self._selector = selector
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        selector.register(self._reader.fileno(), READ, self._drain)

    def set(self) -> None:
        """End the current wait, or else the next one; safe from any thread and from signal handlers."""
        # The buffer may be full of wake-ups already, or closed.
        with contextlib.suppress(OSError):
            self._writer.send(b"\0")

    def close(self) -> None:
        """Leave the selector; `set` does nothing from here on."""
        self._selector.unregister(self._reader.fileno())
        self._writer.close()
        self._reader.close()

    def _drain(self, _mask: int, _chunk: None) -> None:
        with contextlib.suppress(BlockingIOError):
            self._reader.recv(4096)


@dataclass(eq=False)
class ClientStatus:
    """Counters of one client, for diagnostics.

    Attributes:
        key: unique, never used again.
        name: e.g. `agent 3 (127.0.0.1:51234)`.
        team: name of its team, empty until known.
        unum: uniform number, 0 until known.
        received, sent: numbers of messages.
        dropped: number of messages not sent because the client did not read.
        rejected: number of refused inputs, by reason.
        last_error: text of the last error, empty if there was none.
    """

    key: str
    name: str
    team: str = ""
    unum: int = 0
    received: int = 0
    sent: int = 0
    dropped: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    last_error: str = ""


class Connection(ClientStatus, FramedSocket):
    """One client of a port.

    Attributes:
        number: number of this connection among all connections of its port.
        file: number of its socket; -1 while no message can be sent, as it is closed or has a tail.
        since: time of connecting, s.
        is_read: whether its input is read; False while it has used up its allowance of input.
        inbox: messages received beyond the allowance.
        spent: bytes of the allowance used up.
        held_up: cycles in a row in which it used up its allowance.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        ClientStatus.__init__(self, f"{settings.kind}-{number}", f"{settings.kind} {number} ({address_of(sock)})")
        FramedSocket.__init__(self, sock, settings.max_message, CHUNK)
        self.number = number
        self.since = since
        self.is_open = True
        self.file = -1
        self.is_read = True
        self.inbox: deque[bytes] = deque()
        self.spent = self.held_up = 0
        self.notices = 0
        prepare(sock, settings)
