"""TCP server with per-client limits; one thread, non-blocking."""

from __future__ import annotations

import socket
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from simspark_ros.configuration.errors import cut
from simspark_ros.exchange import Notice
from simspark_ros.kernels.sockets import READ, WRITE, Selector
from simspark_ros.protocol.framing import FramingError
from simspark_ros.server.tcp.client_log import LOG, Logger, RateLimitedLog
from simspark_ros.server.tcp.connection import ClientStatus, Connection
from simspark_ros.server.tcp.ports import PortSettings, address_of, listen
from simspark_ros.simulation.pacing.awake_clock import awake_time

_ACCEPTS = 16
"""Connections accepted at a time, so that a flood of them leaves time for the clients."""

_MESSAGE_COST = 128
"""Bytes that each message counts in addition to its own, so that a flood of empty messages is bounded, too."""

_PATIENCE = 10
"""Cycles in a row in which a client may use up its allowance before it is reported."""

_MAX_NOTICES = 50
"""Most notices logged per client: one that asks for the impossible in every cycle would fill the log."""

CHECK_INTERVAL = 0.05
"""Seconds between two checks for overdue clients."""


class ServerContext(NamedTuple):
    """Objects shared by the servers of one process.

    Attributes:
        selector: selector that serves all of them at each poll; None = each server has its own.
        log: logger of lines that name the client.
        clock: monotonic clock, s; leaves out times in which the process was stopped.
    """

    selector: Selector | None = None
    log: Logger = LOG
    clock: Callable[[], float] = awake_time


ALONE = ServerContext()

C = TypeVar("C", bound=Connection)


class FramedServer(ABC, Generic[C]):
    """Accepts clients on one port, receives and sends framed messages.

    Subclasses name the class of their clients in `client_class`.

    Raises:
        PortError: the port cannot be opened; the message names host, port and remedy.
    """

    client_class: type[C]

    def __init__(self, settings: PortSettings, context: ServerContext = ALONE) -> None:
        self._port_settings = settings
        self._clock = context.clock
        self.log = RateLimitedLog(context.log, clock=context.clock)
        self._listener = self._listen()
        self._own_selector = context.selector is None
        self.selector = context.selector or Selector()
        self.selector.register(self._listener.fileno(), READ, self._accept)
        self._accepting = True
        self._connections: dict[str, C] = {}
        self._count = 0
        self._next_check = 0.0

    @property
    def port(self) -> int:
        """Number of the port that is listened on."""
        return int(self._listener.getsockname()[1])

    @property
    def place(self) -> str:
        """The port's name in messages."""
        return f"port {self.port}"

    def clients(self) -> list[ClientStatus]:
        """Return the counters of all connected clients."""
        return list(self._connections.values())

    def poll(self, timeout: float) -> bool:
        """Serve clients for one event or `timeout` s at most; returns whether something happened."""
        due = max(0.0, self._next_check - self._clock())
        happened: bool = self.selector.serve(min(timeout, due) if self._connections else timeout)
        self.check_timeouts()
        return happened

    def wait(self, timeout: float) -> None:
        """Serve clients until something came in or the timeout (s) has passed; at once if another server polls."""
        if self._own_selector:
            self.poll(timeout)
        else:
            self.check_timeouts()

    def check_timeouts(self) -> None:
        """Run periodic checks. Call this if you poll the shared selector yourself."""
        if self._accepting and not self._connections:
            return
        now = self._clock()
        if now >= self._next_check:
            self._next_check = now + CHECK_INTERVAL
            if not self._accepting:
                self._accepting = True
                self.selector.register(self._listener.fileno(), READ, self._accept)
            self._check(now)

    def close(self) -> None:
        """Disconnect all clients and close the port; repeated calls do nothing."""
        if self._listener.fileno() < 0:
            return
        for client in list(self._connections.values()):
            self._release(client)
        self._connections.clear()
        if self._accepting:
            self.selector.unregister(self._listener.fileno())
        self._listener.close()
        if self._own_selector:
            self.selector.close()

    def send(self, client: C, framed: bytes) -> bool:
        """Send a message, or drop it if an earlier one is not sent completely yet; returns whether it goes out."""
        if client.tail:
            client.dropped += 1
            self.record_rejection(client, "does not read", "does not read its messages: new ones are dropped")
            return False
        try:
            is_sent = client.transmit(framed)
        except OSError as error:
            self.drop(client, f"connection lost: {error.strerror}")
            return False
        client.sent += 1
        if not is_sent:
            self._watch(client)
        return True

    def send_to_all(self, clients: Sequence[C], messages: list[bytes]) -> None:
        """Do as `send` for each of the clients and its message."""
        # For one alone this is no faster than `send`.
        taken = [0] if len(clients) == 1 else self.selector.send([client.file for client in clients], messages)
        for client, message, count in zip(clients, messages, taken, strict=True):
            if count == len(message):
                client.sent += 1
            else:
                self.send(client, message[count:])

    def drop(self, client: C, why: str, *, fault: bool = True) -> None:
        """Disconnect a client and log the reason; nothing happens if it is disconnected already."""
        if not client.is_open:
            return
        client.last_error = why if fault else client.last_error
        self._release(client)
        del self._connections[client.key]
        (self.log.warning if fault else self.log.info)(f"{client.name}: {why}")
        self._closed(client)

    def record_rejection(self, client: C, reason: str, text: str) -> None:
        """Count rejected input of a client by its reason, of which there must be few, and log the first of each."""
        client.last_error = text
        if reason not in client.rejected:
            self.log.warning(f"{client.name}: {text} (more of this is counted, not logged)")
        client.rejected[reason] += 1

    def reset_quota(self, client: C) -> None:
        """Give a client the input quota of a new cycle; a very long message may have used up several."""
        allowance = self._port_settings.max_input
        if client.is_read:
            client.held_up = 0
        spent = client.spent - allowance
        client.spent = spent if spent > 0 else 0
        if not client.is_read and client.is_open and client.spent < allowance:
            client.is_read = True
            self._watch(client)
            self._work_off(client)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Log the simulator's notices to the operators of this port's clients."""
        for notice in notices:
            client = self._connections.get(notice.client)
            if client and client.notices < _MAX_NOTICES:
                client.notices += 1
                self.log.warning(f"{client.name}: {notice.text}")

    @abstractmethod
    def _received(self, client: C, payload: bytes) -> None:
        """Take one message of a client."""

    @abstractmethod
    def _expendable(self, client: C) -> str:
        """Why a client may be disconnected for a new one when all connections are taken; empty if it may not."""

    def _throttled(self, client: C, text: str) -> None:
        """Report by a text that a client has used up its allowance in many cycles in a row."""
        self.record_rejection(client, "too much input", text)

    def _listen(self) -> socket.socket:
        """Open the port."""
        return listen(self._port_settings)

    # Hooks that do nothing unless a subclass has to follow.
    def _held_up(self, client: C) -> None:
        """A client has used up its allowance of this cycle, and is not read from until it gets a new one."""

    def _connected(self) -> None:
        """A client has come."""

    def _closed(self, client: C) -> None:
        """A client is gone."""

    def _check(self, now: float) -> None:
        """Check for overdue clients."""

    def _make_room(self) -> bool:
        """Disconnect an expendable client, if there is one; returns whether there was."""
        for client in self._connections.values():
            if why := self._expendable(client):
                self.drop(client, f"{why} and makes room for a new connection")
                return True
        return False

    def _accept(self, _mask: int, _chunk: None) -> None:
        for _ in range(_ACCEPTS):
            try:
                sock, _address = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                # Out of file descriptors: the connection stays waiting, which would end every wait at once.
                self.log.warning(f"no connection can be accepted on {self.place}: {error.strerror}")
                self.selector.unregister(self._listener.fileno())
                self._accepting = False
                return
            self._admit(sock)

    def _admit(self, sock: socket.socket) -> None:
        settings = self._port_settings
        if len(self._connections) >= settings.max_clients and not self._make_room():
            self.log.warning(
                f"a connection from {address_of(sock)} was refused: {len(self._connections)} clients are connected to "
                f"{self.place}, which is the limit ({settings.max_clients_setting})"
            )
            sock.close()
            return
        self._count += 1
        try:
            client = self.client_class(sock, self._count, settings, self._clock())
            self._watch(client)
        except OSError:
            # Gone again before its options could be set, or the system watches no more files.
            sock.close()
            return
        self._connections[client.key] = client
        self._connected()

    def _watch(self, client: C) -> None:
        """Register a client for the events that concern it now."""
        file = client.sock.fileno()
        client.file = -1 if client.tail else file
        if mask := (READ if client.is_read else 0) | (WRITE if client.tail else 0):
            self.selector.register(file, mask, partial(self._serve, client), mask == READ)
        else:
            self.selector.unregister(file)

    def _serve(self, client: C, mask: int, chunk: bytes | None) -> None:
        payloads: list[bytes] = []
        # The same round of events may have closed it.
        try:
            if mask & WRITE and client.is_open and client.transmit(client.tail):
                self._watch(client)
            if mask & READ and client.is_open:
                payloads = client.frames.feed(chunk) if chunk else client.receive()
        except OSError as error:
            self.drop(client, f"connection lost: {error.strerror}")
        except EOFError:
            self.drop(client, "disconnected", fault=False)
        except FramingError as error:
            self.drop(client, f"{error}; it is disconnected")
        if payloads:
            client.received += len(payloads)
            client.inbox.extend(payloads)
            self._work_off(client)

    def _work_off(self, client: C) -> None:
        """Take the messages of a client as far as its allowance goes."""
        inbox, limit = client.inbox, self._port_settings.max_input
        while inbox and client.is_open:
            if client.spent >= limit:
                client.is_read = False
                self._watch(client)
                client.held_up += 1
                self._held_up(client)
                # A client that was stalled answers the percepts of several cycles at once, and is soon through.
                if client.held_up > _PATIENCE:
                    text = f"sends more than {limit} bytes per cycle for over {_PATIENCE} cycles: the rest has to wait"
                    self._throttled(client, text)
                return
            payload = inbox.popleft()
            client.spent += len(payload) + _MESSAGE_COST
            try:
                self._received(client, payload)
            except Exception as error:
                # A fault of ours that a client has found must not end the match for all.
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} in {where.name}, line {where.lineno}: {cut(str(error), 200)}"
                self.drop(client, f"is disconnected, as its message was not understood: {what}; please report this")

    def _release(self, client: C) -> None:
        client.is_open = False
        client.inbox.clear()
        self.selector.unregister(client.sock.fileno())
        client.file = -1
        client.sock.close()
