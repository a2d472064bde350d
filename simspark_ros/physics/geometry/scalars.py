"""Plain numbers: angles and limits."""

from __future__ import annotations

import math


def wrapped(angle: float) -> float:
    """The same direction between -pi and pi, rad."""
    return math.remainder(angle, math.tau)


def limited(value: float, limit: float) -> float:
    """The nearest number between -limit and limit."""
    return max(-limit, min(limit, value))
