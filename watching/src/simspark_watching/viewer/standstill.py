"""Whether a server's time stands still, by the frames that it sends: game time stands before each kick-off, too."""

from __future__ import annotations

import math
from collections import deque

WINDOW = 2.0
"""Time with less than two frames after which time stands still, s."""

LAG = 0.5
"""Frames within this time after a command tell nothing, s: a server shows edits while time stands still, too."""


class Standstill:
    """Judges by frames that follow no command; `now` of all methods is one monotonic clock, s.

    A single frame in `WINDOW` is an edit of somebody else. While commands follow one another, as in a drag, the
    judgement stays.
    """

    def __init__(self) -> None:
        self._frames: deque[float] = deque(maxlen=2)
        self._commanded = math.inf
        self._stands = False

    def begin(self, now: float = math.inf) -> None:
        """A server is there since now; without `now` there is none, and nothing stands still."""
        self._frames.clear()
        self._commanded, self._stands = now, False

    def note_command(self, now: float) -> None:
        """The server was sent a command or a request."""
        self._commanded = now

    def note_frame(self, now: float) -> None:
        """The server has sent a frame."""
        if now > self._commanded + LAG:
            self._frames.append(now)

    def stands(self, now: float) -> bool:
        """Whether time stands still."""
        if len(self._frames) == 2 and self._frames[0] >= now - WINDOW:
            self._stands = False
        elif now > self._commanded + WINDOW:
            self._stands = True
        return self._stands
