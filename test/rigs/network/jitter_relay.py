"""A network with jitter: passes framed messages on, each after a delay of its own from a seed, never out of order."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from dataclasses import dataclass, field

from simspark_ros.protocol.framing import FrameDecoder, frame

LARGEST = 1 << 23
CHUNK = 1 << 16
ROUNDING = 0.0005
"""Mean excess of a wait over the time asked for, as waits end with a full millisecond, s."""


@dataclass(frozen=True)
class Crossing:
    """One message on its way.

    Attributes:
        arrived: when the relay got it, s of `time.monotonic`.
        delivered: when the relay passed it on.
        kind: its first two bytes.
    """

    arrived: float
    delivered: float
    kind: bytes


@dataclass
class Wire:
    """One connection: messages to the server (up) and from it (down)."""

    up: list[Crossing] = field(default_factory=list)
    down: list[Crossing] = field(default_factory=list)


class Relay:
    """Listens on a port and connects all clients to a server behind the jitter.

    Attributes:
        wires: connections in the order of connecting.
        port: the port to connect to.
    """

    def __init__(self, server_port: int, largest: float, seed: int) -> None:
        """Open the port.

        Args:
            server_port: the server's port on this machine.
            largest: largest delay of one message in one direction, s; each is drawn evenly from 0 to this.
            seed: seed of the delays.
        """
        self.wires: list[Wire] = []
        self.port = 0
        self._server_port = server_port
        self._largest = largest
        self._seed = seed
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Relay:
        self._listener = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connect(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, onward = await asyncio.open_connection("127.0.0.1", self._server_port)
        wire = Wire()
        self.wires.append(wire)
        number = len(self.wires)
        for reader, writer, log, way in ((near, onward, wire.up, "up"), (far, back, wire.down, "down")):
            task = asyncio.ensure_future(self._pass(reader, writer, log, random.Random(f"{self._seed} {number} {way}")))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, log: list[Crossing], delays: random.Random
    ) -> None:
        queue: asyncio.Queue[tuple[float, float, bytes] | None] = asyncio.Queue()
        delivering = asyncio.ensure_future(_deliver(queue, writer, log))
        frames = FrameDecoder(LARGEST)
        try:
            with contextlib.suppress(ConnectionError):
                while chunk := await reader.read(CHUNK):
                    now = time.monotonic()
                    for payload in frames.feed(chunk):
                        queue.put_nowait((now, delays.uniform(0.0, self._largest), payload))
            queue.put_nowait(None)
            await delivering
        finally:
            delivering.cancel()


async def _deliver(
    queue: asyncio.Queue[tuple[float, float, bytes] | None], writer: asyncio.StreamWriter, log: list[Crossing]
) -> None:
    with contextlib.suppress(ConnectionError):
        while entry := await queue.get():
            arrived, delay, payload = entry
            await asyncio.sleep(max(0.0, arrived + delay - ROUNDING - time.monotonic()))
            log.append(Crossing(arrived, time.monotonic(), payload[:2]))
            writer.write(frame(payload))
            await writer.drain()
    writer.close()
