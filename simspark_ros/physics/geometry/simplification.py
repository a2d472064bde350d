"""Meshes with fewer triangles, for pictures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Array

Triangles = NDArray[np.int64]

_FIRST = 0.6
"""Edge of the first cells, in units of the edge of cells with two triangles each."""

_GROWTH = 1.03
"""Least factor by which cells grow."""

_FINEST = 1e-4
"""Least edge of cells, in units of the mesh's largest extent: meshes of needles have next to no area."""


def simplified(points: Array, triangles: Triangles, most: int) -> tuple[Array, Triangles]:
    """A mesh of at most about `most` triangles in place of one with more.

    The points in each cell of a grid become their mean, as Rossignac and Borrel (1993) do it. For makers' meshes,
    whose triangles often share no edges, it looks better than merging edges by their errors, and takes less time.

    Args:
        points: (V, 3) points.
        triangles: (T, 3) indices of points.
        most: the wanted number of triangles.
    """
    corners = points[triangles]
    area = float(np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum())
    # A smooth surface in a grid has about two triangles for each cell that it passes.
    edge, found = _FIRST * math.sqrt(area / most), (points, triangles)
    edge = max(edge, _FINEST * float(np.ptp(points, axis=0).max()))
    while len(found[1]) > most:
        kept, means = _clustered(points, triangles, max(edge, 1e-9))
        # Nothing is left of a mesh in one cell.
        if not len(kept):
            break
        used, place = np.unique(kept, return_inverse=True)
        found = means[used], place.reshape(-1, 3)
        edge *= max(math.sqrt(len(kept) / most), _GROWTH)
    return found


def _clustered(points: Array, triangles: Triangles, edge: float) -> tuple[Triangles, Array]:
    """The triangles between cells with an edge, m, and the mean of the points in each cell."""
    cells = np.floor((points - points.min(axis=0)) / edge).astype(np.int64)
    size = cells.max(axis=0) + 1
    numbers = (cells[:, 0] * size[1] + cells[:, 1]) * size[2] + cells[:, 2]
    _, cell, count = np.unique(numbers, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(cell, points[:, axis]) for axis in range(3)], axis=1) / count[:, None]
    kept = cell[triangles]
    kept = kept[(kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2]) & (kept[:, 2] != kept[:, 0])]
    # Fine meshes and thin walls have many triangles between the same cells: each is kept once.
    kept = np.take_along_axis(kept, (kept.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    _, first = np.unique((kept @ [len(count) ** 2, len(count), 1]), return_index=True)
    return kept[first], means
