"""Faces of convex hulls, by Qhull, which is imported when the first hull is met."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.qhull import qhull
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
    try:
        yield
    except (qhull().QhullError, ValueError):
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
    with _refusing_flat_points():
        hull = qhull().ConvexHull(points)
    triangles = hull.simplices.astype(np.int64)
    normals, offsets = hull.equations[:, :3], -hull.equations[:, 3]
    one, two, three = (points[triangles[:, corner]] for corner in range(3))
    inward = np.einsum("fi,fi->f", np.cross(two - one, three - one), normals) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return HullFaces(triangles, normals, offsets)


class GrowingHull:
    """A convex hull that points are added to, and how far outside of it other points are.

    Attributes:
        outside: (M,) distances of the other points from the outermost plane for each of them, m; negative inside.
    """

    def __init__(self, points: Array, others: Array) -> None:
        """A hull of points (N, 3), m, and other points (M, 3), m.

        Raises:
            HullError: the points lie in a plane or are too few.
        """
        with _refusing_flat_points():
            self._hull = qhull().ConvexHull(points, incremental=True)
        self._others, self._planes = others, _numbered(self._hull.equations)
        self.outside, self._outermost = _outermost(others, self._hull.equations)

    def add(self, point: Array) -> None:
        """Add one point (3,), m."""
        with _refusing_flat_points():
            self._hull.add_points(point[None])
        equations, old = self._hull.equations, self._planes
        self._planes = _numbered(equations)
        # Most planes stay, so most distances do.
        number = np.full(1 + max(old.values()), -1)
        for plane, place in old.items():
            number[place] = self._planes.get(plane, -1)
        new = np.array([place for plane, place in self._planes.items() if plane not in old], np.int64)
        self._outermost = number[self._outermost]
        lost = self._outermost < 0
        self.outside[lost], self._outermost[lost] = _outermost(self._others[lost], equations)
        if len(new):
            distances, places = _outermost(self._others, equations[new])
            farther = distances > self.outside
            self.outside[farther], self._outermost[farther] = distances[farther], new[places[farther]]


def _numbered(equations: Array) -> dict[bytes, int]:
    """First places of planes (F, 4), of which triangles of one face share one, by the planes' bytes."""
    places = range(len(equations) - 1, -1, -1)
    return {equations[place].tobytes(): place for place in places}


def _outermost(points: Array, equations: Array) -> tuple[Array, NDArray[np.int64]]:
    """Largest distance (N,) of each point from a plane of (F, 4), m, and the place of that plane."""
    distances = product(points, equations[:, :3].T) + equations[:, 3]
    places = distances.argmax(axis=1)
    return np.take_along_axis(distances, places[:, None], axis=1)[:, 0], places


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
