"""Convex parts of concave meshes, by V-HACD: voxels of the solid, cut by planes until the parts are nearly convex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.hulls import MOST_CORNERS, THINNEST

LIBRARY, MODULE = "V-HACD", "vhacdx"

MOST_PARTS = 8
"""Most parts of a mesh: the default of `max_colliding` allows four such meshes."""

_VOXELS = 100_000
"""Voxels of a mesh: they take a quarter of a second to two and a half; edges are off by some 2 % of its size."""

_LEAST_GAIN = 5.0
"""Percent of a part's volume that a cut has to save."""


def convex_parts(points: Array, triangles: NDArray[np.int64]) -> tuple[Array, ...]:
    """The corners (N, 3) of each part of a mesh; no parts for a mesh that encloses nothing, so that its hull is used.

    The same mesh gives the same parts.

    Args:
        points: (N, 3) points of the mesh, m.
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
    # The library's form of faces: each begins with its number of corners.
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
