"""The time at which somebody last used an element of the page."""

from __future__ import annotations

import math
import time


class LastUse:
    """Time after an element's last use until it shows the state again, s: it must not slip from the hand."""

    def __init__(self, hands_off: float = 1.0) -> None:
        self._hands_off, self._used = hands_off, -math.inf

    def note(self) -> None:
        """It is used now."""
        self._used = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether it may show the state."""
        return time.monotonic() > self._used + self._hands_off
