"""Plays the steps of cases on connections to one port or socket."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from simspark_stress.fuzz.case import Step
from simspark_stress.hostile_client import Address, HostileClient, framed

LONGEST = 0.3
"""Longest pause in a case, s."""

PATIENCE = 5.0
"""Longest time for a server to answer a new client, s."""


class SocketDoor:
    """A port whose messages have a length prefix.

    Verbs: `message WHO TEXT [CUTS PAUSE]` sends a message, in pieces that end at `CUTS` with pauses (s) between them;
    `raw WHO TEXT` sends bytes; `read WHO SECONDS` reads until a message is complete; `wait SECONDS`, `close WHO` and
    `reset WHO`. A client connects at its first step and reads only by `read`.

    `greeting` is a message that the server must answer; empty if it only has to accept the connection.
    """

    def __init__(self, address: Address, greeting: bytes = b"") -> None:
        self._address, self._greeting = address, greeting

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case; the server may refuse any of its steps."""
        clients: dict[Any, HostileClient] = {}
        try:
            for verb, *arguments in steps:
                # Shrinking may leave steps that make no sense; they are left out.
                with contextlib.suppress(TypeError, ValueError, IndexError):
                    self._play(clients, verb, arguments)
        except OSError:
            pass
        finally:
            for client in clients.values():
                client.close()

    def fault(self) -> str:
        """Return the fault of the port; empty if it serves a new client."""
        try:
            with contextlib.closing(HostileClient(self._address)) as client:
                client.raw(self._greeting)
                end = time.monotonic() + PATIENCE
                while self._greeting and not client.received:
                    if not client.is_open or time.monotonic() > end:
                        return "does not answer a new client"
                    _read_some(client, 0.05)
        except OSError as error:
            return f"does not accept a client: {error}"
        return ""

    def tidy(self) -> None:
        """Do nothing: no case leaves anything behind."""

    def close(self) -> None:
        """Do nothing: the door holds no connections."""

    def _play(self, clients: dict[Any, HostileClient], verb: str, arguments: list[Any]) -> None:
        if verb == "wait":
            time.sleep(bounded(arguments[0]))
            return
        who = arguments[0]
        if who not in clients:
            clients[who] = self.connect(who)
        self.step(clients[who], verb, arguments[1:])

    def connect(self, who: Any) -> HostileClient:
        """Connect a client."""
        return HostileClient(self._address)

    def arrived(self, client: HostileClient) -> int:
        """Return the number of complete messages that a client has received."""
        return client.arrived

    def step(self, client: HostileClient, verb: str, arguments: list[Any]) -> None:
        """Carry out a verb of one client."""
        if verb == "message":
            send_in_pieces(client, framed(str(arguments[0])), *arguments[1:])
        elif verb == "raw":
            client.raw(str(arguments[0]).encode("latin-1", "replace"))
        elif verb == "read":
            end = time.monotonic() + bounded(arguments[0])
            arrived = self.arrived(client)
            while client.is_open and self.arrived(client) == arrived and time.monotonic() < end:
                _read_some(client, end - time.monotonic())
        elif verb == "close":
            client.close()
        elif verb == "reset":
            client.reset()


def bounded(seconds: Any) -> float:
    """Return the length of a pause, limited to `LONGEST`, s."""
    return max(0.0, min(float(seconds), LONGEST))


def send_in_pieces(client: HostileClient, data: bytes, cuts: Any = (), pause: Any = 0.0) -> None:
    """Send data in pieces that end at `cuts`, with a pause (s) after each."""
    start = 0
    for cut in (*sorted(map(int, cuts)), len(data)):
        client.raw(data[start:cut])
        start = max(start, cut)
        if cut < len(data):
            time.sleep(bounded(pause))


def _read_some(client: HostileClient, patience: float) -> None:
    client.wait(patience)
    client.receive()
