"""A line on the terminal that is written over."""

from __future__ import annotations

import sys
from typing import TextIO

CLEAR = "\r\x1b[K"


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
        self._output.write(text)
        self._output.flush()
