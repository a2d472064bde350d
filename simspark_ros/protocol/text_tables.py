"""Numbers with fixed decimals as text, from a table of ready strings, in a third of the time of formatting."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RANGE = 400
"""Largest number in the table, enough for angles in degrees and nearly all other numbers of messages ..."""

_MOST_STEPS = 40_000
"""... and most steps in the table, so that with more decimals it holds smaller numbers only."""


class DecimalTable:
    """Writes many numbers as `"%.2f" % number` does. A table takes some 10 ms to build; `decimal_table` shares tables.

    Only a number within rounding error of half a step, such as 2.675, may be rounded the other way.

    Args:
        decimals: digits after the point.
        blank: whether each text begins with a blank.
        signed_zero: whether a negative number that is rounded to zero is `-0.00`, as in formatting, or `0.00`.
    """

    def __init__(self, decimals: int, *, blank: bool = False, signed_zero: bool = True) -> None:
        self._format = f"{' ' * blank}%.{decimals}f"
        self._steps = 10.0**decimals
        self._limit = limit = min(_RANGE * 10**decimals, _MOST_STEPS)
        lead, positive = " " * blank, _positive(decimals, limit)
        # Negative numbers have negative indices, with -0.00 at the end.
        texts = [lead + text for text in positive] + [f"{lead}-{text}" for text in positive[:0:-1]]
        texts.append(self._format % (-0.0 if signed_zero else 0.0))
        self._texts = np.array(texts, object)

    def write(self, numbers: NDArray[np.float64]) -> list[str]:
        """The text of each of (n,) finite numbers."""
        steps = numbers * self._steps
        np.rint(steps, steps)
        # For few numbers this one test nearly always shows that all are in the table.
        usual = steps.dot(steps) <= self._limit**2
        rare = [] if usual else (np.abs(steps) > self._limit).nonzero()[0].tolist()
        if rare:
            # The time of wrapping grows with the distance from the table.
            steps[rare] = 0.0
        steps -= np.signbit(steps)
        texts: list[str] = self._texts.take(steps.astype(np.intp), mode="wrap").tolist()
        for place in rare:
            texts[place] = self._format % numbers[place]
        return texts


@lru_cache(maxsize=8)
def _positive(decimals: int, limit: int) -> list[str]:
    return [f"{step / 10.0**decimals:.{decimals}f}" for step in range(limit + 1)]


@lru_cache(maxsize=8)
def decimal_table(decimals: int, *, blank: bool = False, signed_zero: bool = True) -> DecimalTable:
    """The shared table with these properties."""
    return DecimalTable(decimals, blank=blank, signed_zero=signed_zero)
