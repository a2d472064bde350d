"""Convex figures in the plane with a range of heights, of which the bodies of the planar engine consist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.geometry.hulls import sharp_corners
from simspark_ros.physics.geometry.transforms import Array, on_circle, product
from simspark_ros.physics.model import Shape, ShapeKind

Point = tuple[float, float]

_ROUND = 32
"""Corners of a polygon that stands for a leaning cylinder's ellipse: between them 0.5 % of the radius is lost."""

_UPRIGHT = 1e-6
"""Largest component of a unit vector that still counts as zero: the axis is then vertical or horizontal."""


@dataclass(frozen=True)
class Outline:
    """All points within a distance of a convex polygon, between two heights.

    Attributes:
        corners: corners of the polygon, counter-clockwise, m; one for the middle of a circle, two for a rounded bar.
        radius: greatest distance of the points from the polygon, m.
        low, high: heights, m; two outlines meet only if their ranges of heights overlap.
    """

    corners: tuple[Point, ...]
    radius: float = 0.0
    low: float = -math.inf
    high: float = math.inf

    @property
    def middle(self) -> Point:
        """The mean of the corners, m."""
        count = len(self.corners)
        return sum(x for x, _ in self.corners) / count, sum(y for _, y in self.corners) / count

    def moved(self, x: float, y: float) -> Outline:
        """The outline moved by x and y, m."""
        return Outline(tuple((px + x, py + y) for px, py in self.corners), self.radius, self.low, self.high)

    def contains(self, other: Outline) -> bool:
        """Whether another outline lies inside, whatever the heights; False for bars, and if corners are rounded."""
        if len(self.corners) == 1:
            (x, y), room = self.corners[0], self.radius - other.radius
            return all(math.hypot(px - x, py - y) <= room for px, py in other.corners)
        if len(self.corners) == 2 or self.radius:
            return False
        # `_turn` is the distance of the corner from the side times the side's length.
        sides = zip(self.corners, self.corners[1:] + self.corners[:1], strict=True)
        return all(
            _turn(a, b, corner) >= other.radius * math.hypot(b[0] - a[0], b[1] - a[1])
            for a, b in sides
            for corner in other.corners
        )


def circle(radius: float, low: float = -math.inf, high: float = math.inf) -> Outline:
    """A circle about the origin, m."""
    return Outline(((0.0, 0.0),), radius, low, high)


def convex_hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """Corners of the convex hull of points, counter-clockwise, m (Andrew's monotone chain); one if all are equal."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)

    def half(along: Sequence[Point]) -> list[Point]:
        chain: list[Point] = []
        for point in along:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        return chain

    return tuple(half(ordered)[:-1] + half(ordered[::-1])[:-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def projected(shape: Shape, turn: Array, centre: Array) -> Outline:
    """The part of the plane that a solid covers, and its heights; it is turned by (3, 3) and stands at (3,), m."""
    x, y, z = centre.tolist()
    if shape.kind is ShapeKind.SPHERE:
        radius = shape.size[0]
        return Outline(((x, y),), radius, z - radius, z + radius)
    if shape.kind is ShapeKind.CAPSULE:
        radius, half = shape.size[0], turn[:, 2] * shape.size[1] / 2.0
        return _around(np.array([centre - half, centre + half]), radius)
    if shape.kind is ShapeKind.CYLINDER:
        return _cylinder(shape.size[0], turn[:, 2] * shape.size[1] / 2.0, centre)
    # As `product`, but sooner: in each cycle in which their link moves.
    return _around(np.add.reduce(sharp_corners(shape)[:, None] * turn, 2) + centre, 0.0)


def _cylinder(radius: float, half: Array, centre: Array) -> Outline:
    """Outline of a cylinder whose axis goes from the centre by `half` to both sides."""
    up = abs(float(half[2]))
    if math.hypot(half[0], half[1]) <= _UPRIGHT * up:
        x, y, z = centre.tolist()
        return Outline(((x, y),), radius, z - up, z + up)
    axis = half / math.hypot(*half)
    aside = np.cross((0.0, 0.0, 1.0), axis)
    aside /= math.hypot(*aside)
    # Sharp rims need many corners, unless the cylinder lies: then it is a rectangle.
    count = 4 if up <= _UPRIGHT else _ROUND
    circle = on_circle(np.arange(count) * (2.0 * math.pi / count))
    rim = radius * product(circle, (aside, np.cross(axis, aside)))
    return _around(np.concatenate((centre + half + rim, centre - half + rim)), 0.0)


def _around(points: Array, radius: float) -> Outline:
    heights = points[:, 2]
    # Rounding makes points that project onto one another one corner.
    flat = points[:, :2].round(12) + 0.0
    corners = convex_hull([(x, y) for x, y in flat.tolist()])
    return Outline(corners, radius, float(heights.min()) - radius, float(heights.max()) + radius)
