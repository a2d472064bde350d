"""A line on the terminal that is written over."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TextIO

CLEAR = "\r\x1b[K"


_LOCK = threading.Lock()
"""Threads write whole lines."""


def say(text: str, output: TextIO | None = None) -> None:
    """Write to standard output, or another; if that fails, because its disk is full for example, it is left at that."""
    output = output or sys.stdout
    try:
        with _LOCK:
            output.write(text)
            output.flush()
    except OSError as error:
        logging.getLogger("simspark").warning(f"standard output cannot be written any more: {error.strerror}")
        # What is left in the buffer would fail again when the process ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output.fileno())
        os.close(nowhere)


class LiveLine:
    """Shows a state in one live line on a terminal, and in a line now and then elsewhere.

    Attributes:
        is_live: whether the output is a terminal.
        period: between two updates, s; `live_period` on a terminal, else `plain_period`.

    `output` is standard output by default.
    """

    def __init__(self, live_period: float, plain_period: float, output: TextIO | None = None) -> None:
        self._output = output or sys.stdout
        self.is_live = self._output.isatty()
        self.period = live_period if self.is_live else plain_period
        self._clear, self._end = (CLEAR, "") if self.is_live else ("", "\n")

    def update(self, text: str) -> None:
        """Show the state."""
        self._print(self._clear + text + self._end)

    def report(self, text: str) -> None:
        """Print a line of its own."""
        self._print(f"{self._clear}{text}\n")

    def finish(self) -> None:
        """Clear the live line."""
        self._print(self._clear)

    def _print(self, text: str) -> None:
        say(text, self._output)
