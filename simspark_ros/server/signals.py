"""The end of a process by SIGINT or SIGTERM, in order."""

from __future__ import annotations

import atexit
import signal
from collections.abc import Callable
from types import FrameType


class Signals:
    """Turns SIGINT and SIGTERM into a call, and remembers one that comes before a call is set."""

    def __init__(self) -> None:
        self._received = False
        self._stop: Callable[[], None] = lambda: None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)
        # A terminal and `ros2 launch` in it send one each. Python's own end, the last thing of a process, would take
        # the second one as its death.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)

    def on_signal(self, stop: Callable[[], None]) -> None:
        """Call this at a signal; at once if there was one."""
        self._stop = stop
        if self._received:
            stop()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._received = True
        self._stop()
