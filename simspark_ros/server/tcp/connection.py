"""One client of a server: its socket, its waiting input, and its counters."""

from __future__ import annotations

import socket
from collections import Counter, deque
from dataclasses import dataclass, field

from simspark_ros.server.tcp.framed_socket import FramedSocket
from simspark_ros.server.tcp.ports import PortSettings, address_of, prepare

_CHUNK = 16 * 1024


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
        since: time of connecting, s.
        is_read: whether its input is read; False while it has used up its allowance of input.
        inbox: messages received beyond the allowance.
        spent: bytes of the allowance used up.
        held_up: cycles in a row in which it used up its allowance.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        ClientStatus.__init__(self, f"{settings.kind}-{number}", f"{settings.kind} {number} ({address_of(sock)})")
        FramedSocket.__init__(self, sock, settings.max_message, _CHUNK)
        self.number = number
        self.since = since
        self.is_open = True
        self.is_read = True
        self.inbox: deque[bytes] = deque()
        self.spent = self.held_up = 0
        self.notices = 0
        prepare(sock, settings)
