"""Convex solids in place of meshes: a hull with few corners, or convex parts by V-HACD.

V-HACD cuts the voxels of a solid by planes until the parts are nearly convex.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.hulls import GrowingHull, HullError, convex_faces
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.robots.description import RobotError

MOST_CORNERS = 64
"""Most corners of a hull: MuJoCo's and Bullet's time grows with them, pictures get a triangle or two for each."""

THINNEST = 1e-3
"""Least edge of the box around a hull, m: flat meshes become plates that thick."""

_DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
# Down and all ways like it, for a solid that leans by 3 degrees; what stands on a corner of it falls on the next one.
_LEANING = np.array(
    [d for d in itertools.product((-1.0, -0.05, 0.05, 1.0), repeat=3) if sorted(map(abs, d))[1:] == [0.05, 1.0]]
)
_UNEVEN = 0.003
"""Height, as a share of the largest edge of the box around a solid, by which corners that it stands on may be wrong."""

_MANY = 3000
"""Most corners of a hull that are compared with the coarse hull; of more corners every n-th is compared."""


class CoarseHull(NamedTuple):
    """A hull with few corners.

    Attributes:
        points: (N, 3) corners of the hull, N up to `MOST_CORNERS`, m.
        of: number of corners of the full hull.
        error: largest distance from this hull of a corner that was left out, m; the box around the hull stays the same.
        flat: whether the points lie in a plane, and a box stands for them.
    """

    points: Array
    of: int
    error: float
    flat: bool


def coarse_hull(points: Array) -> CoarseHull:
    """A hull of points (N, 3), m: the outermost corners, then, one by one, the corner that is farthest outside."""
    low, high = points.min(axis=0), points.max(axis=0)
    try:
        if (high - low).min() < THINNEST:
            raise HullError("thinner than solids may be")
        corners = points[np.unique(convex_faces(points).triangles)]
        if len(corners) <= MOST_CORNERS:
            return CoarseHull(corners, len(corners), 0.0, flat=False)
        kept = corners[np.unique(product(corners, _DIRECTIONS.T).argmax(axis=0))]
        leaning = product(corners, _LEANING.T)
        missed = leaning.max(axis=0) > product(kept, _LEANING.T).max(axis=0) + _UNEVEN * (high - low).max()
        kept = np.unique(np.concatenate((kept, corners[leaning.argmax(axis=0)[missed]])), axis=0)
        # Every round looks at all of them; of very many corners a part is enough.
        others = corners[:: 1 + len(corners) // _MANY]
        kept, error = _grown(kept, others)
        return CoarseHull(kept, len(corners), error, flat=False)
    except HullError:
        middle, half = (low + high) / 2.0, np.maximum(high - low, THINNEST) / 2.0
        box = middle + np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half
        return CoarseHull(box, len(points), 0.0, flat=True)


def _grown(kept: Array, others: Array) -> tuple[Array, float]:
    """Add corners until there are enough; returns them and the largest distance of any other."""
    hull = GrowingHull(kept, others)
    while True:
        farthest = int(hull.outside.argmax())
        most = float(hull.outside[farthest])
        if len(kept) >= MOST_CORNERS or most <= 0.0:
            return kept, max(most, 0.0)
        kept = np.concatenate((kept, others[farthest : farthest + 1]))
        hull.add(others[farthest])


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
        remedy = "pip install 'simspark_ros[meshes]', or choose 'mesh_collisions: hulls'"
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
