"""Faces of convex hulls, by Qhull through scipy, which is imported when the first hull is met."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Array, Transform, product
from simspark_ros.physics.model import ZERO, Shape, ShapeKind, Vector

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
"""(8, 3) corners of a cube of edge 1 around the origin."""


class HullError(ValueError):
    """Points span no solid; the message says how they lie."""


class HullFaces(NamedTuple):
    """The triangles of a hull.

    Attributes:
        triangles: (F, 3) indices of vertices, counter-clockwise seen from outside.
        normals: (F, 3) unit vectors out of the hull.
        offsets: (F,) distance of each face's plane from the origin along its normal, m.
    """

    triangles: NDArray[np.int64]
    normals: Array
    offsets: Array


@contextmanager
def _refusing_flat_points() -> Iterator[None]:
    from scipy.spatial import QhullError

    try:
        yield
    except (QhullError, ValueError):
        raise HullError("a hull needs at least four points that span a solid") from None


@lru_cache(maxsize=4096)
def hull_faces(vertices: tuple[Vector, ...]) -> HullFaces:
    """The faces of a hull of a model, as `convex_faces`; kept."""
    return convex_faces(np.array(vertices, np.float64).reshape(-1, 3))


def convex_faces(points: Array) -> HullFaces:
    """The faces of the convex hull of points (N, 3), m.

    Raises:
        HullError: the points lie in a plane or are too few.
    """
    # Importing takes half a second, which only users of hulls pay.
    from scipy.spatial import ConvexHull

    with _refusing_flat_points():
        hull = ConvexHull(points)
    triangles = hull.simplices.astype(np.int64)
    normals, offsets = hull.equations[:, :3], -hull.equations[:, 3]
    one, two, three = (points[triangles[:, corner]] for corner in range(3))
    inward = np.einsum("fi,fi->f", np.cross(two - one, three - one), normals) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return HullFaces(triangles, normals, offsets)


class GrowingHull:
    """A convex hull that points (N, 3), m, are added to.

    Raises:
        HullError: the first points lie in a plane or are too few.
    """

    def __init__(self, points: Array) -> None:
        from scipy.spatial import ConvexHull

        with _refusing_flat_points():
            self._hull = ConvexHull(points, incremental=True)

    def outside(self, points: Array) -> Array:
        """Distances (N,) of points from the hull's outermost plane for each of them, m; negative inside."""
        equations = self._hull.equations
        distances: Array = (product(points, equations[:, :3].T) + equations[:, 3]).max(axis=1)
        return distances

    def add(self, point: Array) -> None:
        """Add one point (3,), m."""
        with _refusing_flat_points():
            self._hull.add_points(point[None])


def hull_shape(
    points: Array,
    position: Vector = ZERO,
    rpy: Vector = ZERO,
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0),
) -> Shape:
    """The hull of points (N, 3) in a frame that stands at `position` (m), turned by `rpy` (rad), in the link's frame.

    Raises:
        HullError: the points span no solid.
    """
    corners = np.unique(convex_faces(points).triangles)
    points = points[corners]
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2.0
    centre = Transform.of(position, rpy).apply(middle)
    x, y, z = centre.tolist()
    return Shape(ShapeKind.HULL, tuple((high - low).tolist()), (x, y, z), rpy, rgba, as_vectors(points - middle))


def sharp_corners(shape: Shape) -> Array:
    """Corners (K, 3) of a box or a hull, from the centre of the box and along its axes, m."""
    return np.array(shape.vertices) if shape.vertices else CORNERS * shape.size


def as_vectors(points: Array) -> tuple[Vector, ...]:
    """Points (N, 3) as tuples."""
    return tuple((x, y, z) for x, y, z in points.tolist())
