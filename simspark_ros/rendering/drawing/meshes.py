"""Solids and surfaces of makers' meshes as triangles, as few as possible: a software renderer pays for each.

Surfaces have fewer of them for what is far, and are smooth where they are round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.geometry.simplification import simplified
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import Shape, ShapeKind
from simspark_ros.physics.surface import Surface

Colour = tuple[float, float, float, float]
"""Red, green, blue and alpha, 0 to 1."""

_SIDES = ((0.01, 6), (0.02, 8), (0.035, 10), (0.05, 12), (math.inf, 16))
"""Greatest radius, m, and number of sides for round solids below it."""


class Detail(Enum):
    """Fineness of round solids in a picture."""

    FINE = auto()
    COARSE = auto()
    COARSEST = auto()


@dataclass(frozen=True)
class _Coarseness:
    """Numbers of a detail.

    Attributes:
        sides: number of sides of round solids.
        steps: number of steps of a ball from its equator to a pole.
        ball, rod: factors on radii, so that balls and rods cover as many pixels as round ones on average.
        error: largest distance of surfaces from round ones, as part of the radius.
    """

    sides: int
    steps: int
    ball: float
    rod: float
    error: float


_COARSE = {Detail.COARSEST: _Coarseness(4, 1, 1.35, 1.11, 0.36), Detail.COARSE: _Coarseness(6, 2, 1.09, 1.05, 0.13)}

_POINT = 1e-9
"""Radius below which a ring is a point, m."""


@dataclass(frozen=True)
class Mesh:
    """Triangles with a normal at each vertex.

    Attributes:
        vertices: (V, 3) corners, m.
        normals: (V, 3) unit vectors out of the solid.
        triangles: (T, 3) indices of vertices, counter-clockwise seen from outside.
    """

    vertices: Array
    normals: Array
    triangles: IntArray

    def placed(self, position: Array, rotation: Array) -> Mesh:
        """The same solid, turned by rotation (3, 3) and moved by position (3,), m."""
        return Mesh(self.vertices @ rotation.T + position, self.normals @ rotation.T, self.triangles)


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several solids (at least one) as one mesh."""
    parts = list(meshes)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
    )


def mesh_of(shape: Shape, detail: Detail = Detail.FINE) -> Mesh:
    """Triangles of a solid, in the frame of its link."""
    if shape.kind is ShapeKind.HULL:
        mesh = _hull(shape)
    elif shape.kind is ShapeKind.BOX:
        mesh = box(np.array(shape.size))
    else:
        mesh = _round(shape, detail)
    return mesh.placed(np.array(shape.position), rotation_from_rpy(shape.rpy))


def _round(shape: Shape, detail: Detail) -> Mesh:
    radius, *lengths = shape.size
    sides = next(sides for limit, sides in _SIDES if radius < limit)
    how = _COARSE.get(detail) or _Coarseness(sides, sides // 4, 1.0, 1.0, 0.0)
    if shape.kind is ShapeKind.CYLINDER:
        return turned(_rod(how.rod * radius, *lengths), how.sides)
    return turned(_arc(how.ball * radius, sum(lengths), how.steps), how.sides)


def roundness(shape: Shape) -> float:
    """The radius of a solid, m; 0 if it is not round."""
    return 0.0 if shape.kind in (ShapeKind.HULL, ShapeKind.BOX) else shape.size[0]


def detail_for(radius: float, error: float) -> Detail:
    """The coarsest detail with at most that error (m) for solids of at most that radius (m)."""
    return next((detail for detail, how in _COARSE.items() if how.error * radius <= error), Detail.FINE)


def _hull(shape: Shape) -> Mesh:
    """A hull with flat faces: each triangle has corners of its own."""
    faces, points = hull_faces(shape.vertices), np.array(shape.vertices)
    corners = faces.triangles.reshape(-1)
    return Mesh(points[corners], faces.normals.repeat(3, axis=0), np.arange(len(corners)).reshape(-1, 3))


def box(size: Array, centre: Array | None = None) -> Mesh:
    """A box along the axes; size (3,) are full edge lengths, m."""
    shift = np.zeros(3) if centre is None else centre
    return replace(_cube(), vertices=_cube().vertices * size / 2.0 + shift)


@cache
def _cube() -> Mesh:
    """A box with edges of 2 m. A field's nets have two hundred boxes."""
    vertices, normals = [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            # With the sign in `a`, corners go counter-clockwise seen from outside on both faces.
            corners = [(sign, a * sign, b) for a, b in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))]
            vertices += np.roll(corners, axis, axis=1).tolist()
            normals += [np.eye(3)[axis] * sign] * 4
    face = np.array([[0, 1, 2], [0, 2, 3]])
    return Mesh(np.array(vertices), np.array(normals), np.concatenate([face + 4 * i for i in range(6)]))


Outline = list[tuple[float, float, float, float]]
"""Points of a solid of revolution from its upper to its lower end: radius, z, and the normal's radial and z parts."""


def _arc(radius: float, length: float, steps: int) -> Outline:
    """Outline of a sphere that is cut in two and pulled apart by `length`; each half has `steps` steps."""
    outline = []
    for sign in (1.0, -1.0):
        for step in range(steps + 1):
            angle = math.pi / 2.0 * (1.0 - step / steps if sign > 0 else step / steps)
            across, up = math.cos(angle), sign * math.sin(angle)
            outline.append((radius * across, radius * up + sign * length / 2.0, across, up))
    return outline


def _rod(radius: float, length: float) -> Outline:
    """Outline of a cylinder; points of its sharp edges come twice."""
    top = length / 2.0
    return [
        *((0.0, top, 0.0, 1.0), (radius, top, 0.0, 1.0), (radius, top, 1.0, 0.0)),
        *((radius, -top, 1.0, 0.0), (radius, -top, 0.0, -1.0), (0.0, -top, 0.0, -1.0)),
    ]


def turned(outline: Outline, sides: int) -> Mesh:
    """The surface of revolution of an outline about z."""
    angles = np.arange(sides) * 2.0 * math.pi / sides
    circle = np.stack([np.cos(angles), np.sin(angles), np.ones(sides)], 1)
    vertices = [circle * (radius, radius, z) for radius, z, _, _ in outline]
    normals = [circle * (across, across, up) for _, _, across, up in outline]
    here = np.arange(sides)
    following = (here + 1) % sides
    triangles = []
    for ring, ((above, z_above, *_), (below, z_below, *_)) in enumerate(pairwise(outline)):
        upper, lower = ring * sides, (ring + 1) * sides
        # At a point, and between the two equal rings of a sharp edge, triangles would have no area.
        if below > _POINT and (above, z_above) != (below, z_below):
            triangles.append(np.stack([upper + here, lower + here, lower + following], 1))
        if above > _POINT and (above, z_above) != (below, z_below):
            triangles.append(np.stack([upper + here, lower + following, upper + following], 1))
    return Mesh(np.concatenate(vertices), np.concatenate(normals), np.concatenate(triangles))


_SHARE = {Detail.FINE: 1, Detail.COARSE: 5, Detail.COARSEST: 20}
"""Factor by which a detail has fewer triangles."""

_LEAST = 12
"""Fewest triangles of a surface, as many as a box has."""

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
    # Corners at one point with nearly equal normals are one: all in one number, of which a component has 11 bits.
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
