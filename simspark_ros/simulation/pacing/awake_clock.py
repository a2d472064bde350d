"""Time in which this process was awake: a client is not silent just because this process was stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

ABSENCE = 1.0
"""Gap between two readings, s, from which on the process was stopped: servers and matches read every 0.1 s or less."""


class AwakeClock:
    """A monotonic clock, s, that leaves out times in which nothing read it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._read_at = clock()
        self._absent = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        """Read the clock; safe from any thread."""
        now = self._clock()
        if now - self._read_at > ABSENCE:
            # Threads that come back together count their absence once.
            with self._lock:
                now = self._clock()
                gap, self._read_at = now - self._read_at, now
                if gap > ABSENCE:
                    self._absent += gap
        elif now > self._read_at:
            self._read_at = now
        return now - self._absent


awake_time = AwakeClock().__call__
"""The clock of all servers of this process, or of the match that it plays; a method is called faster than an object."""
