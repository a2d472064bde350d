"""Log lines about clients, limited in rate so that one client cannot hide the lines about others."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

from simspark_ros.configuration.line_limit import LineLimit


class Logger(Protocol):
    """Common interface of Python's and ROS 2's loggers."""

    def info(self, message: str, /) -> object:
        """Log normal operation."""

    def warning(self, message: str, /) -> object:
        """Log something that may need an operator."""


LOG: Logger = logging.getLogger("simspark")
"""The log of the servers."""


BURST, RATE = 40, 5.0
"""Lines about clients that are logged at once, and then a second."""


class RateLimitedLog:
    """Passes lines to a logger, `burst` at once and then `rate` per second; the rest are only counted."""

    def __init__(
        self, logger: Logger, *, burst: int = BURST, rate: float = RATE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._logger = logger
        self._limit = LineLimit(burst, rate, clock)

    def info(self, text: str) -> None:
        """Log normal operation."""
        if self._allowed():
            self._logger.info(text)

    def warning(self, text: str) -> None:
        """Log something that may need an operator."""
        if self._allowed():
            self._logger.warning(text)

    def _allowed(self) -> bool:
        left_out = self._limit.admit()
        if left_out:
            self._logger.warning(f"{left_out} lines about clients were left out: too many at once")
        return left_out is not None
