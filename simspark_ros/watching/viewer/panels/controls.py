"""Values that the elements of the panel take from browsers."""

from __future__ import annotations

import math
from typing import Any

Value = bool | float | str
"""Value of an element."""


def takes(element: Any, value: Value) -> bool:
    """Whether an element of viser has the value as one of its choices or within its range."""
    if isinstance(element.value, bool):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(element.value, (int, float)) and hasattr(element, "min"):
        return isinstance(value, (int, float)) and math.isfinite(value) and element.min <= value <= element.max
    return value in getattr(element, "options", ())
