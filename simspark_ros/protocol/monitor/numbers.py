"""Matrices of many nodes as text, from tables of ready texts, in a fraction of the time of formatting numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Cells = NDArray[np.uint64]
"""Texts of at most eight bytes, padded with zeros, so that they can be copied like numbers."""

_STEPS = 10_000
"""Steps in a unit: both tables have four decimals."""

_FAR = 10_000
"""Limit to which positions are cut, m."""


def _cells(texts: Sequence[str]) -> Cells:
    return np.array(texts, "S8").view(np.uint64)


_CELL = 8
_WIDTH = 18
"""Number of cells of a matrix: 0 the opening, 1 to 11 rotation and constants, 12 to 17 whole metres and decimals."""
_COMMON = [0, 4, 8]
_COMMON_TEXTS = _cells([" (SLT ", "0 ", "0 "])[:, None]
"""Texts that all matrices have in common, for each of these cells; other constant texts share cells with numbers."""
_TURNS = [5, 1, 9, 6, 2, 10, 7, 3, 11]
"""Cells of the numbers of a rotation row by row: a node's axes are right, forward, up; a link's forward, left, up."""
_LEFT = slice(1, 9, 3)
_WHOLES, _FRACTIONS = slice(12, 18, 2), slice(13, 18, 2)
_FIRST_WHOLE = np.array([[0], [2 * _FAR], [2 * _FAR]])
_FIRST_FRACTION = np.array([[0], [0], [_STEPS]])


class MatrixTexts:
    """Writes 4x4 matrices column by column, orientations and positions with at most four decimals.

    Monitors get changes beyond 0.005 only, so more digits (the classic server sends six significant ones) would add
    nothing.
    """

    def __init__(self) -> None:
        self._turns, self._wholes, self._fractions = _tables()
        self._cells = np.zeros((_WIDTH, 0), np.uint64)

    def write(self, poses: Array) -> Cells:
        """Write the matrices of links.

        Args:
            poses: (12, n) finite numbers: rotations row by row (x forward, y left, z up) and positions.

        Returns:
            (n, `_WIDTH`) pieces of ` (SLT m0 .. m15)` of each, with a blank in front; valid until the next call.
        """
        if poses.shape[1] != self._cells.shape[1]:
            self._cells = np.zeros((_WIDTH, poses.shape[1]), np.uint64)
            self._cells[_COMMON] = _COMMON_TEXTS
        cells = self._cells
        steps = poses * float(_STEPS)
        np.rint(steps, steps)
        # A node's right is the opposite of a link's left.
        np.negative(steps[_LEFT], steps[_LEFT])
        cells[_TURNS] = self._turns.take(steps[:9].astype(np.intp) + _STEPS, mode="clip")
        places = steps[9:].clip(1 - _FAR * _STEPS, _FAR * _STEPS - 1).astype(np.intp)
        wholes, fractions = np.divmod(np.abs(places), _STEPS)
        cells[_WHOLES] = self._wholes.take(wholes + _FAR * (places < 0) + _FIRST_WHOLE)
        cells[_FRACTIONS] = self._fractions.take(fractions + _FIRST_FRACTION)
        return cells.T


@cache
def _tables() -> tuple[Cells, Cells, Cells]:
    """Texts of the numbers of rotations, of whole metres, and of decimals with all that stands behind them."""
    turns = [f"{step / _STEPS:g} " for step in range(_STEPS + 1)]
    # The 0 that ends the column before x stands in front of x; the 1 that ends the matrix stands behind z.
    wholes = [*map(str, range(_FAR)), *(f"-{metres}" for metres in range(_FAR))]
    decimals = [f".{step:04d}".rstrip("0").rstrip(".") for step in range(_STEPS)]
    return (
        _cells([f"-{turn}" for turn in turns[:0:-1]] + turns),
        _cells([f"0 {whole}" for whole in wholes] + wholes),
        _cells([f"{digits} " for digits in decimals] + [f"{digits} 1)" for digits in decimals]),
    )


class GappedText:
    """A text with a gap for the matrix of each moving node; pieces stand before, between and after the gaps."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._head, *rest = (piece.encode("latin-1", "replace") for piece in pieces)
        cells = max(map(len, rest), default=0) // _CELL + 1
        texts = np.array(rest, f"S{cells * _CELL}").view(np.uint64).reshape(-1, cells)
        # A row is a gap and the piece behind it.
        rows = np.hstack([np.zeros((len(rest), _WIDTH), np.uint64), texts])
        self._text = bytearray(rows.tobytes())
        self._gaps = np.frombuffer(self._text, np.uint64).reshape(rows.shape)[:, :_WIDTH]

    def fill(self, head: bytes, matrices: Cells, still: Flags | None = None) -> bytes:
        """The text with matrices in its gaps.

        Args:
            head: bytes in front of the text.
            matrices: (M, `_WIDTH`) cells by `MatrixTexts.write`, one matrix for each gap.
            still: (M,) whether a gap stays empty; None = no gap does.
        """
        self._gaps[:] = matrices
        if still is not None:
            self._gaps[still] = 0
        return b"".join((head, self._head, self._text.translate(None, b"\0")))
