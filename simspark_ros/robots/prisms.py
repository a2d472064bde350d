"""Upright prisms on convex outlines, and on ellipses, which become prisms of many sides; engines get convex hulls.

The primitives of "A Plugin-Based Architecture for Simulation in the F2000 League" (2003), section 2.1: triangles,
rectangles and ellipses with a range of heights.
"""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.geometry.transforms import Array, on_circle, product
from simspark_ros.physics.model import Shape, Vector
from simspark_ros.physics.planar.outline import convex_hull

Outline = tuple[tuple[float, float], ...]
"""Corners (x, y) of a convex polygon, one after the other around it, m."""

MOST_CORNERS = 64

_SIDES = 48
"""Sides of the prism in place of an ellipse, which is within 0.3 % of the half axes."""


def check_outline(corners: Outline, least_width: float, reach: float) -> None:
    """Raise a ValueError if the corners are no outline of a prism.

    Args:
        corners: the corners to be checked.
        least_width: the least width of the polygon, m.
        reach: the largest coordinate of a corner, m.
    """
    if not 3 <= len(corners) <= MOST_CORNERS:
        raise ValueError(f"outline: must have 3 to {MOST_CORNERS} corners, not {len(corners)}")
    for number, corner in enumerate(corners, 1):
        if not all(abs(value) <= reach for value in corner):
            raise ValueError(f"outline: corner {number} must be within {reach:g} m, not {list(corner)}")
    hull = convex_hull(corners)
    for number, corner in enumerate(corners, 1):
        if corner not in hull or corners.count(corner) > 1:
            wrong = f"corner {number}, {list(corner)}, does not fit a convex outline"
            raise ValueError(f"outline: {wrong}; leave the corner out, or build the thing of several convex outlines")
    first = hull.index(corners[0])
    around = hull[first:] + hull[:first]
    if corners not in (around, around[:1] + around[:0:-1]):
        raise ValueError("outline: its sides cross; name the corners in their order around it")
    if _width(np.array(hull)) < least_width:
        raise ValueError(f"outline: must be at least {1e3 * least_width:g} mm wide")


def ellipse(x: float, y: float) -> Outline:
    """The outline in place of an ellipse with half axes along x and y, m."""
    corners = np.round(on_circle(np.arange(_SIDES) * (2.0 * math.pi / _SIDES)) * (x, y), 12)
    return tuple((a, b) for a, b in corners.tolist())


def prism_shape(outline: Outline, height: float, position: Vector, rpy: Vector, colour: Vector) -> Shape:
    """The prism of a height, m, with its middle at a place, m and rad."""
    flat = np.array(outline) - _centroid(np.array(outline))
    half = np.full((len(flat), 1), height / 2.0)
    points = np.concatenate((np.hstack((flat, -half)), np.hstack((flat, half))))
    return hull_shape(points, position, rpy, (*colour, 1.0))


def prism_inertia(outline: Outline, height: float) -> tuple[float, float, float, float]:
    """Inertias xx, xy, yy and zz of a homogeneous prism of 1 kg about its middle, m2; the others are 0."""
    corners = np.array(outline)
    x, y = (corners - _centroid(corners)).T
    after_x, after_y = np.roll(x, -1), np.roll(y, -1)
    cross = x * after_y - after_x * y
    # Integrals over the triangles from the middle to each side, per area of the polygon.
    share = cross / cross.sum()
    xx = float(product(share, x * x + x * after_x + after_x * after_x)) / 6.0
    yy = float(product(share, y * y + y * after_y + after_y * after_y)) / 6.0
    xy = float(product(share, x * after_y + 2.0 * x * y + 2.0 * after_x * after_y + after_x * y)) / 12.0
    # Inertia about x is the spread along y, and products of inertia are negative by definition.
    along = height * height / 12.0
    return yy + along, -xy, xx + along, xx + yy


def _centroid(corners: Array) -> Array:
    # From a corner: far from the origin the differences of products would lose digits.
    x, y = own = (corners - corners[0]).T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    middle: Array = product(own + np.roll(own, -1, axis=1), cross) / (3.0 * cross.sum()) + corners[0]
    return middle


def _width(corners: Array) -> float:
    """The width: the least, over all sides, of the distance of the farthest corner from the side."""
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack((-sides[:, 1], sides[:, 0])) / np.hypot(*sides.T)[:, None]
    away = product(normals, corners.T) - (normals * corners).sum(axis=1)[:, None]
    return float(np.abs(away).max(axis=1).min())
