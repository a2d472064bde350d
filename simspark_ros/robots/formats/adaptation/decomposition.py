"""Convex parts of concave meshes, by V-HACD: voxels of the solid, cut by planes until the parts are nearly convex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.hulls import MOST_CORNERS, THINNEST

LIBRARY = "V-HACD"

MOST_PARTS = 8
"""Of a mesh: four meshes of that many are all that `max_colliding` allows at first."""

_VOXELS = 100_000
"""A quarter of a second for a simple mesh, up to two and a half for others; edges are off by some 2 % of it."""

_LEAST_GAIN = 5.0
"""Percent of a part's volume that cutting it has to save."""


def convex_parts(points: Array, triangles: NDArray[np.int64]) -> tuple[Array, ...]:
    """The corners (N, 3) of each part of a mesh; none where it encloses nothing, and its hull has to do.

    The same mesh gives the same parts.

    Args:
        points: (N, 3) of the mesh, m.
        triangles: (F, 3) indices of points.

    Raises:
        RobotError: the library is not installed.
    """
    try:
        import vhacdx
    except ImportError:
        remedy = "pip install 'simspark_ros[meshes]', or 'mesh_collisions: hulls'"
        raise RobotError(f"convex parts of meshes need the package vhacdx: {remedy}") from None
    if not len(triangles) or np.ptp(points, axis=0).min() < THINNEST:
        return ()
    # The library's form of faces: the number of corners of each before them.
    faces = np.insert(triangles, 0, 3, axis=1).reshape(-1).astype(np.uint32)
    parts = vhacdx.compute_vhacd(
        points,
        faces,
        maxConvexHulls=MOST_PARTS,
        resolution=_VOXELS,
        minimumVolumePercentErrorAllowed=_LEAST_GAIN,
        maxNumVerticesPerCH=MOST_CORNERS,
        asyncACD=False,
        findBestPlane=True,
    )
    return tuple(np.asarray(corners, np.float64) for corners, _ in parts)
