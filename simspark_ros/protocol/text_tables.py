"""Numbers with a fixed number of decimals as text, from a table of ready strings: a third of the time of formatting."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RANGE = 400
"""Numbers up to this size are in the table: angles in degrees, and nearly everything else that is sent."""

_MOST_STEPS = 40_000
"""With more decimals the table holds smaller numbers only."""


class DecimalTable:
    """Writes many numbers as `"%.2f" % number` does.

    Only a number within rounding error of half a step, such as 2.675, may fall to the other side.
    """

    def __init__(self, decimals: int) -> None:
        """Build the table, which takes some 20 ms; see `decimal_table`.

        Args:
            decimals: digits after the point.
        """
        self._format = f"%.{decimals}f"
        self._steps = 10.0**decimals
        self._limit = limit = min(_RANGE * 10**decimals, _MOST_STEPS)
        texts = [self._format % (step / self._steps) for step in range(limit + 1)]
        # Negative numbers are found by negative indices: -0.00 is the last of all.
        self._texts = np.array(texts + [f"-{text}" for text in reversed(texts)], object)

    def write(self, numbers: NDArray[np.float64], *, signed_zero: bool = True) -> list[str]:
        """Return the text of each number.

        Args:
            numbers: (n,), finite.
            signed_zero: whether a negative number that is rounded to zero is `-0.00`, as in formatting, or `0.00`.
        """
        steps = numbers * self._steps
        np.rint(steps, steps)
        if not signed_zero:
            # Minus zero plus zero is zero.
            steps += 0.0
        # If there are few numbers, this one test nearly always says that all are in the table.
        usual = steps.dot(steps) <= self._limit**2
        rare = [] if usual else (np.abs(steps) > self._limit).nonzero()[0].tolist()
        if rare:
            # Wrapping a number takes time for each round of the table.
            steps[rare] = 0.0
        steps -= np.signbit(steps)
        texts: list[str] = self._texts.take(steps.astype(np.intp), mode="wrap").tolist()
        for place in rare:
            texts[place] = self._format % numbers[place]
        return texts


@lru_cache(maxsize=4)
def decimal_table(decimals: int) -> DecimalTable:
    """The table for a number of decimals, shared by all who need it."""
    return DecimalTable(decimals)
