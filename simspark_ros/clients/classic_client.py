"""A client of the classic protocol, for the ports of agents and monitors of any server (this one or rcssserver3d)."""

from __future__ import annotations

import contextlib
import select
import socket
import time

from simspark_ros.clients.idle_probes import probe_when_idle
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.ports import AGENT_PORT, LOOPBACK
from simspark_ros.protocol.agent.answer_writer import init_command, scene_command
from simspark_ros.protocol.framing import LARGEST_MESSAGE, FrameDecoder, FramingError, frame
from simspark_ros.protocol.sexpr import Expression, parse

PATIENCE = 250
"""Messages after which a player that the server has not accepted gives up. Behind a bridge on a bad network a lost
answer takes a second."""

REFUSED = "A server refuses a third team, a number in use and a type used up; with `make run` join Lions or Dragons"
"""Players that a server does not accept, and what to do, for people; the classic protocol has no word for it."""


class ConnectionLostError(UserError):
    """The server closed the connection or cannot be reached; the message names it."""


class ClassicClient(contextlib.AbstractContextManager["ClassicClient"]):
    """One TCP connection with framed messages; every wait has a deadline.

    Attributes:
        address: host and port of the server.

    `timeout` is the longest wait for the server, s.

    Raises:
        ConnectionLostError: no server listens there.
    """

    def __init__(self, host: str = LOOPBACK, port: int = AGENT_PORT, timeout: float = 10.0) -> None:
        self.address = f"{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except (OSError, UnicodeError) as error:
            raise ConnectionLostError(f"no server at {self.address}: {error}; is `simspark serve` running?") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        probe_when_idle(self._socket)
        self._frames = FrameDecoder(LARGEST_MESSAGE)
        self._messages: list[bytes] = []

    def send(self, text: str) -> None:
        """Send one message.

        Raises:
            ConnectionLostError: the server is gone.
        """
        try:
            self._socket.sendall(frame(text.encode("latin-1")))
        except OSError as error:
            raise self._lost(error) from None

    def receive(self) -> bytes:
        """Wait for the next message.

        Raises:
            ConnectionLostError: the server is gone or silent for longer than the timeout.
        """
        while not self._messages:
            self._messages += self.receive_some()
        return self._messages.pop(0)

    def receive_some(self, patience: float | None = None) -> list[bytes]:
        """Wait for bytes and return the messages that are complete now, possibly none.

        With `patience` (s) the server may be silent; after that time the list is empty.

        Raises:
            ConnectionLostError: the server is gone, silent for longer than the timeout, or no server of the protocol.
        """
        if patience is not None and not select.select([self._socket], [], [], max(patience, 0.0))[0]:
            return []
        try:
            chunk = self._socket.recv(1 << 16)
            messages = self._frames.feed(chunk)
        except TimeoutError as error:
            # The system's own, whose probes nobody answers, has a number.
            if error.errno is not None:
                raise self._lost(error) from None
            raise ConnectionLostError(f"{self.address} sent nothing for {self._socket.gettimeout()} s") from None
        except OSError as error:
            raise self._lost(error) from None
        except FramingError as error:
            raise ConnectionLostError(f"{self.address} does not speak the classic protocol, since it {error}") from None
        if not chunk:
            raise self._lost(EOFError())
        return messages

    def _lost(self, error: OSError | EOFError) -> ConnectionLostError:
        """The error for a lost server: readers, writers and clients with unread messages get different exceptions."""
        if isinstance(error, (EOFError, BrokenPipeError, ConnectionResetError)):
            return ConnectionLostError(f"{self.address} closed the connection")
        return ConnectionLostError(f"{self.address} is gone: {error}")

    def fileno(self) -> int:
        """The socket's file descriptor, for selectors."""
        return self._socket.fileno()

    def close(self) -> None:
        """Leave; never raises."""
        self._socket.close()

    def leave(self, patience: float = 0.3) -> None:
        """Leave in order, and read the server's further messages for `patience` s; never raises.

        Closing before everything was read would reset the connection, which a server takes for a failure.
        """
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(patience)
            end = time.monotonic() + patience
            while time.monotonic() < end and self._socket.recv(1 << 16):
                pass
        self.close()

    def __exit__(self, *error: object) -> None:
        """Leave."""
        self.close()


def enter(client: ClassicClient, team: str, unum: int, variant: int, robot: str = "nao") -> None:
    """Ask for a robot and for a number of a team; the server accepts it, or not, in one of the next messages."""
    client.send(f"{scene_command(variant, robot)}(syn)")
    client.receive()
    client.send(f"{init_command(team, unum)}(syn)")


def joint_angles(message: bytes) -> dict[str, float]:
    """Joint angles of a perception message by perceptor name, degrees."""
    angles = {}
    for item in parse(message):
        if isinstance(item, list) and item and item[0] == "HJ":
            fields = _fields(item)
            angles[fields["n"]] = float(fields["ax"])
    return angles


def game_state(message: bytes) -> dict[str, str]:
    """Fields of the game state of a perception message: `t`, `pm`, `sl`, `sr`, and after joining `unum`, `team`."""
    for item in parse(message):
        if isinstance(item, list) and item and item[0] == "GS":
            return _fields(item)
    return {}


def _fields(item: list[Expression]) -> dict[str, str]:
    return {str(f[0]): str(f[1]) for f in item[1:] if isinstance(f, list) and len(f) > 1}
