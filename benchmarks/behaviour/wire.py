"""TCP connections of scripted clients: framed messages out, every byte that came in kept."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

HOST = "127.0.0.1"

DEADLINE = 60.0
"""Nothing that a server does in these situations takes so long, s."""

_LENGTH = struct.Struct(">I")
_SOCKETS = Path("/proc/net/tcp")


class StalledError(Exception):
    """What has to happen does not happen; the message says what."""


def framed(text: str | bytes) -> bytes:
    """A message of the classic protocols: its length, and then itself."""
    payload = text.encode("latin-1") if isinstance(text, str) else text
    return _LENGTH.pack(len(payload)) + payload


def messages_of(data: bytes) -> list[bytes]:
    """The complete messages of a stream."""
    found, offset = [], 0
    while offset + _LENGTH.size <= len(data):
        end = offset + _LENGTH.size + int(_LENGTH.unpack_from(data, offset)[0])
        if end > len(data):
            break
        found.append(data[offset + _LENGTH.size : end])
        offset = end
    return found


class Link:
    """One connection to a server; whether it has accepted and read can only be seen on this machine.

    Attributes:
        received: everything that came in.
        count: complete messages in it.
        latest: the newest of them.
        open: whether the server has not closed it yet.
    """

    def __init__(self, port: int, host: str = HOST, greeting: str = "") -> None:
        """Connect, send a message if there is one, and wait until the server has accepted."""
        self.received = bytearray()
        self.count = 0
        self.latest = b""
        self.open = True
        self._next = 0
        self._port = port
        self._is_local = host == HOST
        self.socket = socket.socket()
        # Before connecting, or it would not count: what does not fit here makes a server leave out frames.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
        self.socket.settimeout(DEADLINE)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self._own_port = int(self.socket.getsockname()[1])
        if greeting:
            self.send(greeting)
        self._wait_for("accepts a connection", lambda state: state is not None and state.accepted)

    def send(self, *texts: str | bytes) -> None:
        """Send messages, in one piece."""
        self.raw(b"".join(framed(text) for text in texts))

    def raw(self, data: bytes) -> None:
        """Send bytes as they are. What is sent to a server that has closed is lost."""
        with contextlib.suppress(OSError):
            self.socket.setblocking(True)
            self.socket.settimeout(DEADLINE)
            self.socket.sendall(data)
        self.socket.setblocking(False)

    def settle(self, patience: float = DEADLINE) -> None:
        """Wait until the server has read everything that was sent to it.

        Args:
            patience: s, for a server that reads no more in this cycle; then that is no mistake.
        """
        with contextlib.suppress(StalledError) if patience < DEADLINE else contextlib.nullcontext():
            self._wait_for("reads its input", lambda state: state is None or state.unread == 0, patience)

    def pull(self) -> None:
        """Take what has come in."""
        while self.open:
            try:
                chunk = self.socket.recv(1 << 20)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                chunk = b""
            self.open = bool(chunk)
            self.received += chunk
        self._count()

    def forget(self) -> None:
        """Forget what came in, which is complete, so that nothing is kept for a long time."""
        self.received.clear()
        self.count = self._next = 0

    def leave(self) -> None:
        """Close, and wait until the server has noticed."""
        self.pull()
        self.open = False
        self.socket.close()
        self._wait_for("closes a connection", lambda state: state is None or not state.accepted)

    def close(self) -> None:
        """Close without waiting."""
        self.open = False
        self.socket.close()

    def _count(self) -> None:
        while self._next + _LENGTH.size <= len(self.received):
            start = self._next + _LENGTH.size
            end = start + int(_LENGTH.unpack_from(self.received, self._next)[0])
            if end > len(self.received):
                break
            self.latest = bytes(self.received[start:end])
            self._next = end
            self.count += 1

    def _wait_for(self, what: str, condition: Callable[[_State | None], bool], patience: float = DEADLINE) -> None:
        end = time.monotonic() + patience
        while self._is_local and not condition(_server_side(self._port, self._own_port)):
            if time.monotonic() > end:
                raise StalledError(f"within {patience:g} s nobody {what} on the port")
            time.sleep(0.001)


class _State:
    """The server's end of a connection as the kernel sees it."""

    def __init__(self, fields: list[str]) -> None:
        self.unread = int(fields[4].partition(":")[2], 16)
        # A connection that nobody has accepted yet, or that was closed, has no file.
        self.accepted = fields[9] != "0"


def _server_side(port: int, client_port: int) -> _State | None:
    local, remote = f":{port:04X}", f":{client_port:04X}"
    for line in _SOCKETS.read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(local) and fields[2].endswith(remote):
            return _State(fields)
    return None
