"""Elements of the panel: values that they take from browsers, and when somebody last used one."""

from __future__ import annotations

import math
import time
from typing import Any

Value = bool | float | str
"""Value of an element."""

LONGEST_NAME = 64
"""Longest text that a browser may enter, characters."""


def takes(element: Any, value: Value) -> bool:
    """Whether an element of viser has the value as one of its choices, within its range, or as a text for a name."""
    if isinstance(element.value, bool):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(element.value, (int, float)) and hasattr(element, "min"):
        return isinstance(value, (int, float)) and math.isfinite(value) and element.min <= value <= element.max
    if isinstance(element.value, str) and not hasattr(element, "options"):
        return isinstance(value, str) and len(value) <= LONGEST_NAME
    return value in getattr(element, "options", ())


def note_choice(event: Any) -> None:
    """Tell the browser that used an element that it is for the chosen robot or object."""
    event.client.add_notification("Nothing is chosen", "choose a robot or an object in the tab World, or click it")


READ = 10.0
"""Time for which a note is shown, s."""


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
