"""Overlap of boxes: the separating-axis test for many pairs of oriented boxes at once.

Two boxes are apart if their projections on one of 15 axes are apart: the three face normals of each box, and the nine
cross products of their edges (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 5).
"""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.geometry.transforms import Array

PARALLEL = 1e-6
"""Length of a cross product below which edges are parallel; then the face normals decide."""


def face_gaps(offset: Array, turn: Array, first: Array, second: Array) -> Array:
    """Largest gap on the six face normals.

    Args:
        offset: (K, 3) centre of the second box from that of the first, in the axes of the first, m.
        turn: (K, 3, 3) axes of the second box in those of the first, as columns.
        first: (K, 3) half edge lengths of the first box, m.
        second: (K, 3) half edge lengths of the second box, m.

    Returns:
        (K,) gaps, m; a negative gap is the least overlap of the projections on all six normals.
    """
    size = np.abs(turn)
    of_first = np.abs(offset) - first - (size @ second[:, :, None])[:, :, 0]
    of_second = np.abs((offset[:, None] @ turn)[:, 0]) - second - (first[:, None] @ size)[:, 0]
    gaps: Array = np.maximum(of_first, of_second).max(1)
    return gaps


def edge_gaps(offset: Array, turn: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Gaps on the nine cross products of edges. Arguments as `face_gaps`.

    Returns:
        Gaps (K, 9) in m times the length of the cross product, and these lengths (K, 9), 0 to 1; the quotient is the
        gap in m.
    """
    size = np.abs(turn)
    # Cyclic: the two other axes of each axis.
    i1, i2 = [1, 2, 0], [2, 0, 1]
    centre = np.abs(offset[:, i2, None] * turn[:, i1] - offset[:, i1, None] * turn[:, i2])
    of_first = first[:, i1, None] * size[:, i2] + first[:, i2, None] * size[:, i1]
    of_second = second[:, None, i1] * size[:, :, i2] + second[:, None, i2] * size[:, :, i1]
    lengths = np.sqrt(np.maximum(1.0 - turn * turn, 0.0))
    return (centre - of_first - of_second).reshape(-1, 9), lengths.reshape(-1, 9)


def box_gaps(offset: Array, turn: Array, first: Array, second: Array) -> Array:
    """Largest gap on all 15 axes, (K,) m; of boxes that overlap, minus the depth. Arguments as `face_gaps`."""
    gaps, lengths = edge_gaps(offset, turn, first, second)
    edges = np.where(lengths > PARALLEL, gaps / np.maximum(lengths, PARALLEL), -np.inf)
    largest: Array = np.maximum(face_gaps(offset, turn, first, second), edges.max(1))
    return largest
