"""Shows the progress of a match: one live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from simspark_ros.clients.match.record import MatchRecord

LIVE_PERIOD = 0.2
"""Seconds between two updates on a terminal."""

LINE_PERIOD = 30.0
"""Seconds between two lines where the output is no terminal."""

_CLEAR = "\r\x1b[K"


class Progress:
    """An observer that prints; `title` names the match, `output` is standard output by default."""

    def __init__(self, title: str, output: TextIO | None = None) -> None:
        self._output = output or sys.stdout
        self._live = self._output.isatty()
        self._title = title
        self._shown = time.monotonic()

    def report(self, text: str) -> None:
        """Print a line of its own."""
        self._print(f"{_CLEAR if self._live else ''}{text}\n")

    def show(self, record: MatchRecord) -> None:
        """Print the state, not too often."""
        now = time.monotonic()
        if now - self._shown < (LIVE_PERIOD if self._live else LINE_PERIOD):
            return
        self._shown = now
        text = self._text(record)
        self._print(f"{_CLEAR}{text}" if self._live else f"{text}\n")

    def finish(self) -> None:
        """Clear the live line."""
        if self._live:
            self._print(_CLEAR)

    def _text(self, record: MatchRecord) -> str:
        if not record.time:
            return f"{self._title}: waiting for players, {record.robots} are there"
        left, right = record.sides["left"], record.sides["right"]
        names = f"{left.name or 'left'} {record.score[0]}:{record.score[1]} {right.name or 'right'}"
        return (
            f"{record.game_time:7.1f} s  half {record.half}  {names}  {record.play_mode}  "
            f"players {len(left.present)}+{len(right.present)}  x{record.factor:.2f}"
        )

    def _print(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()
