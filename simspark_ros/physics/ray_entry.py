"""Entry points of rays into solids, in closed form: many rays, each against its own solid, in the solid's axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.model import Shape, ShapeKind

KINDS = (ShapeKind.BOX, ShapeKind.SPHERE, ShapeKind.CYLINDER, ShapeKind.CAPSULE, ShapeKind.HULL)


def half_size(shape: Shape) -> tuple[float, float, float]:
    """Half edges of a box or of the box around a hull; else radius, radius, half length (0 for a sphere), m."""
    if shape.is_boxed:
        x, y, z = shape.size
        return x / 2.0, y / 2.0, z / 2.0
    radius, length = (*shape.size, 0.0)[:2]
    return radius, radius, length / 2.0


def hull_planes(shapes: Sequence[Shape]) -> Array:
    """(S, F, 4) planes of the faces of hulls: normals out of them, and distances from their centres, m.

    Solids with fewer faces, and solids that are no hulls, have planes that limit nothing; F is 0 without hulls.
    """
    faces = {i: hull_faces(shape.vertices) for i, shape in enumerate(shapes) if shape.kind is ShapeKind.HULL}
    planes = np.zeros((len(shapes), max((len(one.offsets) for one in faces.values()), default=0), 4))
    planes[:, :, 3] = 1.0
    for i, one in faces.items():
        planes[i, : len(one.offsets)] = np.column_stack((one.normals, one.offsets))
    return planes


def enter(
    kind: IntArray, size: Array, start: Array, course: Array, solid: IntArray, planes: Array
) -> tuple[Array, Array]:
    """Points at which P rays enter a solid each.

    Args:
        kind: (P,) index of each solid's kind in `KINDS`.
        size: (P, 3) `half_size` of each solid, m.
        start: (P, 3) origins of the rays in the solids' axes, m.
        course: (P, 3) unit directions of the rays in the solids' axes.
        solid: (P,) index of each solid in `planes`.
        planes: planes of all solids, see `hull_planes`.

    Returns:
        Distances (P,), infinite for rays that miss their solid, and normals (P, 3) in the solids' axes.
    """
    distance, normal = np.full(len(kind), np.inf), np.zeros((len(kind), 3))
    for number, formula in enumerate((_enter_box, _enter_sphere, _enter_cylinder, _enter_capsule)):
        own = np.flatnonzero(kind == number)
        if own.size:
            distance[own], normal[own] = formula(size[own], start[own], course[own])
    own = np.flatnonzero(kind == KINDS.index(ShapeKind.HULL))
    if own.size:
        distance[own], normal[own] = _enter_hull(planes[solid[own]], start[own], course[own])
    return distance, normal


def slab(low: Array, high: Array, inside: BoolArray, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances at which lines enter and leave the space from `low` to `high`; `inside` counts for parallel ones."""
    parallel = course == 0.0
    inverse = 1.0 / np.where(parallel, 1.0, course)
    one, other = (low - start) * inverse, (high - start) * inverse
    # A parallel line is in that space everywhere or nowhere.
    enter = np.where(parallel, np.where(inside, -np.inf, np.inf), np.minimum(one, other))
    return enter, np.where(parallel, np.inf, np.maximum(one, other))


def _enter_box(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    enter, leave = slab(-size, size, np.abs(start) < size, start, course)
    # A line is in the box once it is in the last of its three slabs.
    face = enter.argmax(axis=1)
    rows = np.arange(len(face))
    distance = enter[rows, face]
    normal = np.zeros_like(start)
    normal[rows, face] = -np.sign(course[rows, face])
    return _outside(distance, distance <= leave.min(axis=1)), normal


def _enter_sphere(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    distance = _ball_entry(size[:, 0], start, course)
    return distance, _unit(start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course)


def _ball_entry(radius: Array, start: Array, course: Array) -> Array:
    along = (start * course).sum(axis=1)
    # The line's distance is computed from its nearest point, which is exact for spheres far away.
    nearest = start - along[:, None] * course
    room = radius * radius - (nearest * nearest).sum(axis=1)
    return _outside(-along - np.sqrt(np.maximum(room, 0.0)), room >= 0.0)


def _enter_cylinder(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    through, out = slab(-size[:, 2], size[:, 2], np.abs(start[:, 2]) < size[:, 2], start[:, 2], course[:, 2])
    enter, leave = _mantle(size[:, 0], start, course)
    # A line is in the cylinder once it is both between the ends and in the mantle.
    distance = np.maximum(through, enter)
    met = start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course
    flat = through >= enter
    normal = np.where(flat[:, None], 0.0, met / size[:, :1])
    normal[:, 2] = np.where(flat, -np.sign(course[:, 2]), 0.0)
    return _outside(distance, distance <= np.minimum(out, leave)), normal


def _mantle(radius: Array, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances at which lines enter and leave an endless cylinder about z."""
    x, y, u, v = start[:, 0], start[:, 1], course[:, 0], course[:, 1]
    # The line meets the mantle where speed t^2 + 2 (x u + y v) t + x^2 + y^2 - r^2 = 0. A quarter of the discriminant
    # is (x u + y v)^2 - speed (x^2 + y^2 - r^2), and equals r^2 speed - cross^2 without a difference of large squares.
    speed = u * u + v * v
    upright = speed == 0.0
    slope = np.where(upright, 1.0, speed)
    cross = x * v - y * u
    room = radius * radius * speed - cross * cross
    half = np.sqrt(np.maximum(room, 0.0)) / slope
    middle = -(x * u + y * v) / slope
    inside = np.where(upright, x * x + y * y < radius * radius, room >= 0.0)
    enter = np.where(inside, np.where(upright, -np.inf, middle - half), np.inf)
    return enter, np.where(upright, np.inf, middle + half)


def _enter_capsule(size: Array, start: Array, course: Array) -> tuple[Array, Array]:
    radius, half = size[:, 0], size[:, 2]
    # A ray enters the first of the capsule's three convex parts, unless it starts in another part.
    distance, _ = _enter_cylinder(size, start, course)
    for side in (-1.0, 1.0):
        from_cap = start.copy()
        from_cap[:, 2] -= side * half
        distance = np.minimum(distance, _ball_entry(radius, from_cap, course))
    # A ray that starts within the radius of the axis starts inside, and enters nothing.
    away = start.copy()
    away[:, 2] -= np.clip(away[:, 2], -half, half)
    distance = _outside(distance, (away * away).sum(axis=1) >= radius * radius)
    met = start + np.where(np.isfinite(distance), distance, 0.0)[:, None] * course
    met[:, 2] -= np.clip(met[:, 2], -half, half)
    return distance, _unit(met)


def _enter_hull(planes: Array, start: Array, course: Array) -> tuple[Array, Array]:
    """Entry at the last plane that a ray passes inward, if it passes none outward before; see `hull_planes`."""
    normals = planes[:, :, :3]
    room = planes[:, :, 3] - np.einsum("pfi,pi->pf", normals, start)
    rate = np.einsum("pfi,pi->pf", normals, course)
    parallel = rate == 0.0
    met = room / np.where(parallel, 1.0, rate)
    enter = np.where(rate < 0.0, met, np.where(parallel & (room < 0.0), np.inf, -np.inf))
    leave = np.where(rate > 0.0, met, np.inf).min(axis=1)
    face = enter.argmax(axis=1)
    rows = np.arange(len(face))
    distance = enter[rows, face]
    return _outside(distance, distance <= leave), normals[rows, face]


def _outside(distance: Array, meets: BoolArray) -> Array:
    """The distances, infinite where a line misses its solid or meets it behind the ray's origin."""
    return np.where(meets & (distance >= 0.0), distance, np.inf)


def _unit(vectors: Array) -> Array:
    length = np.sqrt((vectors * vectors).sum(axis=1))
    unit: Array = vectors / np.where(length > 0.0, length, 1.0)[:, None]
    return unit
