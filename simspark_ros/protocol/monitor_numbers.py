"""Matrices of many nodes as text, by tables of ready texts: a fraction of the time of formatting every number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pieces = NDArray[np.object_]
Cells = NDArray[np.uint64]
"""Texts of at most eight bytes, filled up with zeros: they are copied as numbers are."""

_STEPS = 10_000
"""Both tables have four decimals."""

_FAR = 10_000
"""Positions are cut to less than this many metres."""


def _cells(texts: Iterable[str]) -> Cells:
    return np.array([text.encode("ascii") for text in texts], "S8").view(np.uint64)


_MATRIX = _cells([" (SLT ", *(["", "", "", "0 "] * 3), *([""] * 6), "1)\n"])
"""What all matrices have in common, a cell for each text."""
_TURNS = np.array([1, 2, 3, 5, 6, 7, 9, 10, 11])
_WHOLES, _FRACTIONS = slice(13, 19, 2), slice(14, 19, 2)


class MatrixTexts:
    """Writes 4x4 matrices column by column, orientations and positions with at most four decimals.

    Monitors are told of changes beyond 0.005 only, so more digits (the classic server sends six significant ones)
    would carry nothing.
    """

    def __init__(self) -> None:
        """Build the tables."""
        self._turns = _cells(f"{step / _STEPS:g} " for step in range(-_STEPS, _STEPS + 1))
        decimals = [f"{step:04d}".rstrip("0") for step in range(_STEPS)]
        self._fractions = _cells(f".{digits} " if digits else " " for digits in decimals)
        wholes = [str(metres) for metres in range(_FAR)]
        self._wholes = _cells(wholes + [f"-{metres}" for metres in wholes])

    def write(self, matrices: Array) -> list[str]:
        """Write matrices.

        Args:
            matrices: (n, 12) finite numbers: columns right, forward, up and position without the last row.

        Returns:
            ` (SLT m0 .. m15)` of each, with a blank in front.
        """
        cells = np.empty((len(matrices), len(_MATRIX)), np.uint64)
        cells[:] = _MATRIX
        turns = np.rint(matrices[:, :9] * _STEPS).astype(np.intp)
        cells[:, _TURNS] = self._turns.take(turns + _STEPS, mode="clip")
        places = np.rint(matrices[:, 9:] * _STEPS).clip(1 - _FAR * _STEPS, _FAR * _STEPS - 1).astype(np.intp)
        wholes, fractions = np.divmod(np.abs(places), _STEPS)
        cells[:, _WHOLES] = self._wholes.take(wholes + _FAR * (places < 0))
        cells[:, _FRACTIONS] = self._fractions.take(fractions)
        return cells.tobytes().translate(None, b"\0").decode("ascii").split("\n")[:-1]
