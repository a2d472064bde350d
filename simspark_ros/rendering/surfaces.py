"""Surfaces of makers' meshes as triangles for renderers: fewer of them for what is far, smooth where they are round."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.simplification import simplified
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.meshes import Detail, Mesh

_SHARE = {Detail.FINE: 1, Detail.COARSE: 5, Detail.COARSEST: 20}
"""Factor by which a detail has fewer triangles."""

_LEAST = 12
"""Fewest triangles of a surface, those of a box."""

_ROUND = 0.1
"""Radius that a round solid with the same error in each detail has, as part of a surface's extent."""

_CREASE = math.cos(math.radians(40.0))
"""Cosine of the angle from which on two triangles meet at an edge."""

_MOST_PAIRS = 3_000_000
"""Most pairs of triangles that share a corner; meshes with more are drawn flat."""


@lru_cache(maxsize=1024)
def surface_mesh(surface: Surface, detail: Detail = Detail.FINE) -> Mesh:
    """Triangles of a surface in the frame of its link; points where triangles meet at an edge are there twice."""
    points, triangles = surface.arrays
    if detail is not Detail.FINE:
        points, triangles = simplified(points, triangles, max(len(triangles) // _SHARE[detail], _LEAST))
    return _shaded(points, triangles)


def surface_roundness(surface: Surface) -> float:
    """The radius of a round solid that loses as much in each detail, m."""
    return _ROUND * float(np.ptp(surface.arrays[0], axis=0).max())


def _shaded(points: Array, triangles: IntArray) -> Mesh:
    """A mesh with the mean normal of the triangles at each corner that are inclined less than a crease."""
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1)
    seen = length > 0.0
    triangles, across, flat = triangles[seen], across[seen], across[seen] / length[seen, None]
    normals = _smooth(triangles.reshape(-1), np.repeat(across, 3, axis=0), np.repeat(flat, 3, axis=0))
    keys = np.column_stack((triangles.reshape(-1), np.rint(normals * 1e3).astype(np.int64) + 1024))
    _, first, place = np.unique(keys @ (1 << np.array([33, 22, 11, 0])), return_index=True, return_inverse=True)
    return Mesh(points[triangles.reshape(-1)[first]], normals[first], place.reshape(-1, 3))


def _smooth(corner: IntArray, weighted: Array, flat: Array) -> Array:
    """Unit normals (C, 3) at the corners of triangles.

    Args:
        corner: (C,) index of the point of each corner.
        weighted: (C, 3) normals of the corners' triangles, as long as these are large.
        flat: (C, 3) unit normals of the corners' triangles.
    """
    order = np.argsort(corner, kind="stable")
    counts = np.bincount(corner)
    counts = counts[counts > 0]
    if int((counts**2).sum()) > _MOST_PAIRS:
        return flat
    # All pairs of corners at one point.
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    each = np.repeat(counts, counts)
    one = np.repeat(np.arange(len(order)), each)
    other = np.arange(len(one)) - np.repeat(np.cumsum(each) - each, each) + np.repeat(starts, each)
    one, other = order[one], order[other]
    near = (flat[one] * flat[other]).sum(axis=1) > _CREASE
    total = np.stack([np.bincount(one[near], weighted[other[near], axis], len(flat)) for axis in range(3)], axis=1)
    normals: Array = total / np.linalg.norm(total, axis=1, keepdims=True)
    return normals
