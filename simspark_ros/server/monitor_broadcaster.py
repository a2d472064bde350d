"""Base of servers that send frames to monitors: which monitor needs a full frame, which the changes."""

from __future__ import annotations

import math
from collections.abc import Callable

from simspark_ros.protocol.framing import frame
from simspark_ros.protocol.monitor.encoder import Frames
from simspark_ros.server.tcp.connection import Connection
from simspark_ros.server.tcp.framed_server import FramedServer

_EARLY = 1e-6
"""Seconds of rounding allowed in simulated time."""


def is_frame_due(last: float | None, now: float, interval: float) -> bool:
    """Whether an interval (s) has passed since the last frame, if there was one; time may have gone back."""
    return last is None or now < last or now - last > interval - _EARLY


class Monitor(Connection):
    """A client that is sent frames.

    Attributes:
        needs_full: whether its next frame has to be a full one.
        frame_rate: frames per second of real time that are enough for it; it gets more if another monitor wants more.
        drawn: revision of the drawings that it was sent last.
        inspects: handle of the robot whose inside it is sent, as in `TrainerMessage.inspect`.
        roster: revision of the layout whose robots it was sent.
        world: text of the world that it was sent.
    """

    needs_full = True
    frame_rate = math.inf
    inspects: int | None = None
    drawn: int = 0
    roster = -1
    world = ""


class MonitorBroadcaster(FramedServer[Monitor]):
    """Sends frames that build on one another to any number of monitors, some of which do not read.

    When all connections are taken, a new client takes the place of one that does not read, if there is one.
    """

    client_class = Monitor

    @property
    def has_readers(self) -> bool:
        """Whether a connected monitor reads its messages."""
        return any(not monitor.tail for monitor in self._connections.values())

    def asking(self) -> list[Monitor]:
        """Monitors that inspect and read."""
        return [monitor for monitor in self._connections.values() if monitor.inspects is not None and not monitor.tail]

    def show_all(self) -> None:
        """Make the next frame of all monitors a full one."""
        for monitor in self._connections.values():
            monitor.needs_full = True

    def show(self, make: Callable[[bool, bool], Frames]) -> None:
        """Send a frame to all monitors that read; `make` takes whether a full and whether a partial one is needed."""
        readers = []
        for monitor in self._connections.values():
            if monitor.tail:
                # Later partial frames build on the one it misses, so that a full one has to come first.
                monitor.needs_full = True
                monitor.dropped += 1
            else:
                readers.append(monitor)
        if not readers:
            return
        newcomers = sum(monitor.needs_full for monitor in readers)
        frames = make(newcomers > 0, newcomers < len(readers))
        full_frame, partial_frame = frame(frames.full or b""), frame(frames.partial or b"")
        for monitor in readers:
            whole = monitor.needs_full
            monitor.needs_full = False
            self.send(monitor, full_frame if whole else partial_frame)

    def _expendable(self, client: Monitor) -> str:
        return "does not read" if client.tail else ""
