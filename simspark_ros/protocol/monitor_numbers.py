"""Matrices of many nodes as text, by tables of ready strings: a third of the time of formatting every number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pieces = NDArray[np.object_]

PIECES = 16
"""Pieces of text that make up one matrix."""

_STEPS = 10_000
"""Both tables have four decimals."""

_FAR = 10_000
"""Positions are cut to less than this many metres."""

# Where the pieces are, after an empty one and the beginning.
_TURNS, _ENDS_OF_COLUMNS = slice(2, 11), slice(4, 11, 3)
_WHOLES, _FRACTIONS = slice(11, 17, 2), slice(12, 17, 2)


class MatrixTexts:
    """Writes 4x4 matrices column by column, orientations and positions with at most four decimals.

    Monitors are told of changes beyond 0.005 only, so more digits (the classic server sends six significant ones)
    would carry nothing.
    """

    def __init__(self) -> None:
        """Build the tables."""
        turns = [f"{step / _STEPS:g} " for step in range(-_STEPS, _STEPS + 1)]
        self._turns = np.array(turns, object)
        self._ends_of_columns = np.array([f"{text}0 " for text in turns], object)
        decimals = [f"{step:04d}".rstrip("0") for step in range(_STEPS)]
        fractions = [f".{digits} " if digits else " " for digits in decimals]
        self._fractions = np.array(fractions + [f"{text}1)" for text in fractions], object)
        wholes = [str(metres) for metres in range(_FAR)]
        self._wholes = np.array(wholes + [f"-{metres}" for metres in wholes], object)

    def write(self, matrices: Array) -> Pieces:
        """Write matrices with room for a text before each.

        Args:
            matrices: (n, 12) finite numbers: columns right, forward, up and position without the last row.

        Returns:
            (n, 1 + PIECES): an empty text, and pieces that make ` (SLT m0 .. m15)` with a blank in front.
        """
        pieces = np.empty((len(matrices), 1 + PIECES), object)
        pieces[:, 0], pieces[:, 1] = "", " (SLT "
        turns = np.rint(matrices[:, :9] * _STEPS).astype(np.intp)
        turns += _STEPS
        pieces[:, _TURNS] = self._turns.take(turns, mode="clip")
        pieces[:, _ENDS_OF_COLUMNS] = self._ends_of_columns.take(turns[:, 2::3], mode="clip")
        places = np.rint(matrices[:, 9:] * _STEPS).clip(1 - _FAR * _STEPS, _FAR * _STEPS - 1).astype(np.intp)
        wholes, fractions = np.divmod(np.abs(places), _STEPS)
        pieces[:, _WHOLES] = self._wholes.take(wholes + _FAR * (places < 0))
        fractions[:, 2] += _STEPS
        pieces[:, _FRACTIONS] = self._fractions.take(fractions)
        return pieces
