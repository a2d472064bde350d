"""Log lines about clients, few enough that no client can drown the others' in its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol


class Logger(Protocol):
    """What both Python's and ROS 2's loggers can do."""

    def info(self, message: str, /) -> object:
        """Log something that is as it should be."""
        ...

    def warning(self, message: str, /) -> object:
        """Log something that an operator may have to look after."""
        ...


class Reports:
    """Passes lines on to a logger, some at once and then a few per second; the rest are only counted."""

    def __init__(
        self, logger: Logger, *, burst: int = 40, rate: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create reports with their own allowance.

        Args:
            logger: where lines go.
            burst: lines that may come at once.
            rate: lines per second after that.
            clock: time in s.
        """
        self._logger = logger
        self._burst = burst
        self._rate = rate
        self._clock = clock
        self._allowance = float(burst)
        self._since = clock()
        self._suppressed = 0

    def info(self, text: str) -> None:
        """Report something that is as it should be."""
        if self._allowed():
            self._logger.info(text)

    def warning(self, text: str) -> None:
        """Report something that somebody may have to look after."""
        if self._allowed():
            self._logger.warning(text)

    def _allowed(self) -> bool:
        now = self._clock()
        self._allowance = min(self._burst, self._allowance + (now - self._since) * self._rate)
        self._since = now
        if self._allowance < 1.0:
            self._suppressed += 1
            return False
        self._allowance -= 1.0
        if self._suppressed:
            self._logger.warning(f"{self._suppressed} lines about clients were left out: too many at once")
            self._suppressed = 0
        return True
