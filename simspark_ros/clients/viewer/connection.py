"""A monitor's connection to a server: never blocks longer than asked, and may be closed and opened at any time."""

from __future__ import annotations

import contextlib
import select
import socket
import time

from simspark_ros.configuration.errors import UserError
from simspark_ros.protocol.framing import FrameDecoder, FramingError, frame

LONGEST_FRAME = 4 * 1024 * 1024
"""No server announces more, bytes."""


CLOSE_TIMEOUT = 0.3
"""How long the server may take to end the connection, s."""


class ServerGoneError(UserError):
    """The server closed the connection or cannot be reached; the message names it and the remedy."""


class MonitorConnection:
    """One connection to a port of monitors; `timeout` is the longest wait for an answer to it, s.

    Raises:
        ServerGoneError: no server listens there.
    """

    def __init__(self, host: str, port: int, timeout: float = 2.0) -> None:
        self.address = f"{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except (OSError, UnicodeError) as error:
            raise ServerGoneError(f"no server shows itself at {self.address}: {error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frames = FrameDecoder(LONGEST_FRAME)

    def send(self, text: str) -> None:
        """Send a message.

        Raises:
            ServerGoneError: the server is gone, or has not read anything for a while.
        """
        try:
            self._socket.sendall(frame(text.encode("latin-1", "replace")))
        except OSError as error:
            raise ServerGoneError(f"{self.address} is gone: {error}") from None

    def receive(self, timeout: float) -> list[bytes]:
        """Return what has come in, at the latest after a timeout in s; possibly nothing.

        Raises:
            ServerGoneError: the server is gone, or is no server of monitors.
        """
        try:
            if not select.select([self._socket], [], [], max(timeout, 0.0))[0]:
                return []
            chunk = self._socket.recv(1 << 18)
            if not chunk:
                raise ServerGoneError(f"{self.address} has closed the connection")
            return self._frames.feed(chunk)
        except (OSError, ValueError) as error:
            raise ServerGoneError(f"{self.address} is gone: {error}") from None
        except FramingError as error:
            raise ServerGoneError(f"{self.address} is no port of monitors: {error}") from None

    def close(self) -> None:
        """Leave; never raises."""
        with contextlib.suppress(OSError):
            # To close before everything was read would reset the connection, which the server takes for a failure.
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(CLOSE_TIMEOUT)
            end = time.monotonic() + CLOSE_TIMEOUT
            while time.monotonic() < end and self._socket.recv(1 << 18):
                pass
        self._socket.close()
