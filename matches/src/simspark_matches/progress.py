"""Shows the progress of a match: one live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

from simspark_matches.record import MatchRecord
from simspark_ros.terminal import LiveLine

LIVE_PERIOD, LINE_PERIOD = 0.2, 30.0
"""Time between two updates on a terminal, and between two lines elsewhere, s."""


class MatchProgress(LiveLine):
    """An observer that prints; `title` names the match."""

    def __init__(self, title: str, output: TextIO | None = None) -> None:
        super().__init__(LIVE_PERIOD, LINE_PERIOD, output)
        self._title = title
        self._shown = time.monotonic()

    def show(self, record: MatchRecord) -> None:
        """Print the state, not too often."""
        now = time.monotonic()
        if now - self._shown >= self.period:
            self._shown = now
            self.update(self._text(record))

    def _text(self, record: MatchRecord) -> str:
        if not record.time:
            return f"{self._title}: waiting for players, {record.robots} are there"
        left, right = record.sides["left"], record.sides["right"]
        names = f"{left.name or 'left'} {record.score[0]}:{record.score[1]} {right.name or 'right'}"
        return (
            f"{record.game_time:7.1f} s  half {record.half}  {names}  {record.play_mode}  "
            f"players {len(left.present)}+{len(right.present)}  x{record.factor:.2f}"
        )
