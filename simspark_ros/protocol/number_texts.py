"""Numbers with a fixed number of decimals as text, by a table of ready strings: a third of the time of formatting."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RANGE = 400
"""Numbers up to this size are in the table: angles in degrees, and nearly everything else that is sent."""

_MOST_STEPS = 40_000
"""With more decimals the table holds smaller numbers only."""

_MINUS_ZERO_BITS = np.float64(-0.0).view(np.int64)


class NumberTexts:
    """Writes many numbers as `"%.2f" % number` does, down to the sign of `-0.00`.

    Only a number within rounding error of half a step, such as 2.675, may fall to the other side.
    """

    def __init__(self, decimals: int) -> None:
        """Build the table, which takes some 20 ms; see `number_texts`.

        Args:
            decimals: digits after the point.
        """
        self._format = f"%.{decimals}f"
        self._steps = 10.0**decimals
        self._limit = limit = min(_RANGE * 10**decimals, _MOST_STEPS)
        texts = [self._format % (step / self._steps) for step in range(-limit, limit + 1)]
        self._minus_zero = len(texts)
        self._texts = np.array([*texts, self._format % -0.0], object)

    def write(self, numbers: NDArray[np.float64]) -> list[str]:
        """Return the text of each of (n,) finite numbers."""
        steps = np.rint(numbers * self._steps)
        index = steps.astype(np.int64)
        index += self._limit
        index[steps.view(np.int64) == _MINUS_ZERO_BITS] = self._minus_zero
        texts: list[str] = self._texts.take(index, mode="clip").tolist()
        rare = np.abs(steps) > self._limit
        for place in rare.nonzero()[0].tolist():
            texts[place] = self._format % numbers[place]
        return texts


@lru_cache(maxsize=4)
def number_texts(decimals: int) -> NumberTexts:
    """The table for so many decimals, shared by all who need it."""
    return NumberTexts(decimals)
