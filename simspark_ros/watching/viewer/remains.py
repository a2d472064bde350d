"""Frees the remains of browsers' connections.

The tasks and errors of a connection that has ended refer to each other, and hold the messages that were on the way.
Python itself looks for such cycles when they may be a quarter of all that lives: the page would take 20 MB more.
"""

from __future__ import annotations

import asyncio
import gc

PERIOD = 1.0
"""Time from the end of a connection to the search, s; other connections may end meanwhile."""


class Remains:
    """Searches for remains some time after connections have ended; used in the event loop alone."""

    def __init__(self) -> None:
        self._search: asyncio.TimerHandle | None = None

    def note(self) -> None:
        """A connection ends."""
        if self._search is None:
            self._search = asyncio.get_running_loop().call_later(PERIOD, self._collect)

    def _collect(self) -> None:
        self._search = None
        gc.collect()
