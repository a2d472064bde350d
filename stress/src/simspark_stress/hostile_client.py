"""Hostile clients on real sockets, and the context of an attack; every wait is bounded."""

from __future__ import annotations

import contextlib
import random
import select
import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_stress.dialects import CLASSIC, Dialect

PATIENCE = 0.5
"""Longest single wait for an attacker's socket, s."""

_QUIET = 0.05
"""Silence after which a server has nothing more to send, s."""

_RESET = struct.pack("ii", 1, 0)
_ANY_LENGTH = (1 << 32) - 1


Address = tuple[str, int] | str
"""Host and port of a TCP server, or the path of a Unix socket."""


def framed(*payloads: str | bytes) -> bytes:
    """Put each payload's length in front of it and join them."""
    data = [payload.encode("latin-1", "replace") if isinstance(payload, str) else payload for payload in payloads]
    return b"".join(map(frame, data))


class HostileClient:
    """One connection of an attacker. The server may close it at any time; that is no error.

    Attributes:
        is_open: False as soon as the server or the attacker has ended the connection.
        arrived: complete messages received so far.
        received: bytes received so far.
        answer: function that makes the answer to each message while `AttackContext.play` runs.

    `receive_buffer` is the size of the socket's receive buffer, bytes; 0 = the system's default.

    Raises:
        OSError: the connection is not accepted.
    """

    def __init__(self, address: Address, receive_buffer: int = 0) -> None:
        self.socket = socket.socket(_family(address), socket.SOCK_STREAM)
        self.is_open = True
        self.arrived = self.received = 0
        self.answer: Callable[[], str | bytes] = lambda: "(syn)"
        self._frames = FrameDecoder(_ANY_LENGTH)
        self._unsent = b""
        try:
            if receive_buffer:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            self.socket.settimeout(PATIENCE * 4)
            self.socket.connect(address)
            if self.socket.family != socket.AF_UNIX:
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            self.socket.close()
            raise

    def send(self, *payloads: str | bytes) -> bool:
        """Send messages; returns whether all of them went out."""
        return self.raw(framed(*payloads))

    def raw(self, data: bytes) -> bool:
        """Send bytes as they are; returns whether all went out in time. The rest goes out first next time."""
        self._unsent += data
        return self._flush(PATIENCE)

    def push(self, data: bytes) -> bool:
        """Send without waiting; new data is dropped while old data is still unsent."""
        self._unsent = self._unsent or data
        return self._flush(0.0)

    def _flush(self, patience: float) -> bool:
        end = time.monotonic() + patience
        while self._unsent and self.is_open:
            self.socket.settimeout(max(0.0, end - time.monotonic()))
            try:
                sent = self.socket.send(self._unsent)
            except (TimeoutError, BlockingIOError):
                break
            except OSError:
                self.is_open = False
                break
            self._unsent = self._unsent[sent:]
        return self.is_open and not self._unsent

    def receive(self, size: int = 1 << 16) -> int:
        """Read at most `size` bytes of the data that has arrived; returns the number of complete messages."""
        if not self.is_open:
            return 0
        self.socket.settimeout(0.0)
        try:
            chunk = self.socket.recv(size)
        except BlockingIOError:
            return 0
        except OSError:
            chunk = b""
        if not chunk:
            self.is_open = False
            return 0
        self.received += len(chunk)
        messages = len(self._frames.feed(chunk))
        self.arrived += messages
        return messages

    def wait(self, patience: float) -> None:
        """Wait for at most `patience` s until data has arrived."""
        if self.is_open:
            select.select([self.socket], [], [], max(patience, 0.0))

    def leave(self) -> None:
        """End the connection in good order: data that stays unread would make a reset of it."""
        end = time.monotonic() + PATIENCE
        while self.is_open and time.monotonic() < end:
            before = self.received
            self.wait(_QUIET)
            self.receive()
            if self.received == before:
                break
        self.close()

    def reset(self) -> None:
        """Close the connection with a reset (RST) instead of an orderly end (FIN)."""
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.is_open = False
        self.socket.close()


def _family(address: Address) -> socket.AddressFamily:
    if isinstance(address, str):
        return socket.AF_UNIX
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET


class AttackContext:
    """The context of one attack: addresses, clients, randomness and a time limit.

    Attributes:
        address: host and port of the server for agents.
        monitor_address: host and port of the server for monitors; None if monitors are not attacked.
        lockstep: whether the server waits for answers.
        team: name of the attackers' team.
        dialect: language of the port for agents.
        clients: all clients connected so far.

    `limit` is the time after which the attack starts nothing new, s.
    """

    def __init__(
        self,
        address: tuple[str, int],
        monitor_address: tuple[str, int] | None,
        lockstep: bool,
        seed: str,
        limit: float,
        team: str = "Hostile",
        dialect: Dialect = CLASSIC,
    ) -> None:
        self.address, self.monitor_address = address, monitor_address
        self.lockstep = lockstep
        self.random = random.Random(seed)
        self.team, self.dialect = team, dialect
        self._robots = 0
        self.clients: list[HostileClient] = []
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        """Time left for the attack, s; attacks with loops check it."""
        return max(0.0, self._end - time.monotonic())

    def connect(self, *, monitor: bool = False, receive_buffer: int = 0) -> HostileClient:
        """Connect a client that is closed when the attack is over.

        Raises:
            OSError: the connection is not accepted.
        """
        address = self.monitor_address if monitor and self.monitor_address else self.address
        client = HostileClient(address, receive_buffer)
        self.clients.append(client)
        return client

    def opening(self) -> str:
        """Return a message that asks for a robot; robots have different types or numbers."""
        self._robots += 1
        return self.dialect.opened(self._robots - 1, self.team)

    def robots(self, count: int = 1, receive_buffer: int = 0) -> list[HostileClient]:
        """Connect clients that have a robot but no team."""
        clients = [self.connect(receive_buffer=receive_buffer) for _ in range(count)]
        for client in clients:
            client.send(self.opening())
        self.play(4.0, clients, until=lambda: all(client.arrived or not client.is_open for client in clients))
        return clients

    def join(self, count: int = 1, receive_buffer: int = 0) -> list[HostileClient]:
        """Connect clients that play in the attackers' team."""
        clients = self.robots(count, receive_buffer)
        for client in clients:
            client.send(self.dialect.registered(self.team))
        self.play(0.1, clients)
        return clients

    def play(self, seconds: float, clients: Sequence[HostileClient], until: Callable[[], bool] = lambda: False) -> None:
        """Have clients answer every message for some seconds, or until `until` returns True."""
        end = time.monotonic() + min(seconds, self.left)
        with selectors.DefaultSelector() as selector:
            for client in clients:
                if client.is_open:
                    selector.register(client.socket, selectors.EVENT_READ, client)
            while (left := end - time.monotonic()) > 0 and not until():
                for key, _ in selector.select(min(left, 0.05)):
                    client = key.data
                    for _ in range(client.receive()):
                        client.push(framed(client.answer()))
                    if not client.is_open:
                        selector.unregister(key.fileobj)

    def send_blindly(self, seconds: float, clients: Sequence[HostileClient], payload: str = "(syn)") -> None:
        """Have clients send at short intervals without reading anything."""
        end = time.monotonic() + min(seconds, self.left)
        while time.monotonic() < end and any(client.is_open for client in clients):
            for client in clients:
                client.send(payload)
            time.sleep(0.005)

    def idle(self, seconds: float) -> None:
        """Do nothing for some seconds, at most until the time limit."""
        time.sleep(min(seconds, self.left))

    def close(self) -> None:
        """End all connections."""
        for client in self.clients:
            client.close()


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        name: name of the attack, for `--only` and the report.
        text: description of the attack, for `--list`.
        run: function that carries out the attack.
        joins: whether the attack brings robots into the simulation. Otherwise nothing in the world may change.
        monitor: whether the attack needs the port of monitors.
        silent: whether the attackers go silent, so that in lock-step all wait until the server gives up on them.
    """

    name: str
    text: str
    run: Callable[[AttackContext], None]
    joins: bool = False
    monitor: bool = False
    silent: bool = False


def attack(name: str, **traits: bool) -> Callable[[Callable[[AttackContext], None]], Attack]:
    """Turn a function into an attack; the function's docstring is the description."""
    return lambda run: Attack(name, (run.__doc__ or "").rstrip("."), run, **traits)
