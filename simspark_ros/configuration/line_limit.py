"""A limit on log lines that clients can cause."""

from __future__ import annotations

import time
from collections.abc import Callable


class LineLimit:
    """Admits `burst` lines at once and then `rate` per second by a monotonic `clock`; counts the other lines."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._rate, self._clock = burst, rate, clock
        self._allowance, self._since = float(burst), clock()
        self._left_out = 0

    def admit(self) -> int | None:
        """Count a line. None if it has to be left out, else the number of lines left out since the last admitted."""
        now = self._clock()
        self._allowance = min(self._burst, self._allowance + (now - self._since) * self._rate)
        self._since = now
        if self._allowance < 1.0:
            self._left_out += 1
            return None
        self._allowance -= 1.0
        left_out, self._left_out = self._left_out, 0
        return left_out
