"""Matrices of many nodes as text, by tables of ready strings: a third of the time of formatting every number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pieces = NDArray[np.object_]

PIECES = 20
"""Pieces of text that make up one matrix."""

_STEPS = 10_000
"""Both tables have four decimals."""

_FAR = 10_000
"""Positions are cut to less than this many metres."""

_CONSTANT = np.array(["", " (SLT ", *(["", "", "", "0 "] * 3), *([""] * 6), "1)"], object)
_TURNS = np.array([2, 3, 4, 6, 7, 8, 10, 11, 12])
_WHOLES = slice(14, 20, 2)
_FRACTIONS = slice(15, 20, 2)


class MatrixTexts:
    """Writes 4x4 matrices column by column, orientations and positions with at most four decimals.

    Monitors are told of changes beyond 0.005 only, so more digits (the classic server sends six significant ones)
    would carry nothing.
    """

    def __init__(self) -> None:
        """Build the tables."""
        self._turns = np.array([f"{step / _STEPS:g} " for step in range(-_STEPS, _STEPS + 1)], object)
        decimals = [f"{step:04d}".rstrip("0") for step in range(_STEPS)]
        self._fractions = np.array([f".{digits} " if digits else " " for digits in decimals], object)
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
        pieces[:] = _CONSTANT
        turns = np.rint(matrices[:, :9] * _STEPS).astype(np.intp)
        pieces[:, _TURNS] = self._turns.take(turns + _STEPS, mode="clip")
        places = np.rint(matrices[:, 9:] * _STEPS).clip(1 - _FAR * _STEPS, _FAR * _STEPS - 1).astype(np.intp)
        wholes, fractions = np.divmod(np.abs(places), _STEPS)
        pieces[:, _WHOLES] = self._wholes.take(wholes + _FAR * (places < 0))
        pieces[:, _FRACTIONS] = self._fractions.take(fractions)
        return pieces
