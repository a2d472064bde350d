"""The distance of two convex figures, and the points where they touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simspark_ros.physics.planar.outline import Point

_FLAT = 1e-5
"""Greatest distance of a touching side's corner behind the foremost corner, m."""


class Placed(NamedTuple):
    """An outline somewhere in the plane: its corners, world frame, and the radius around them, m."""

    corners: Sequence[Point]
    radius: float


class Gap(NamedTuple):
    """The distance of two figures, negative where they overlap, m, and the unit normal (x, y) from a to b."""

    distance: float
    x: float
    y: float


def gap_between(a: Placed, b: Placed) -> Gap:
    """The shortest way between two figures, or the shortest way out if they overlap."""
    if len(a.corners) == len(b.corners) == 1:
        (ax, ay), (bx, by) = a.corners[0], b.corners[0]
        x, y = bx - ax, by - ay
    else:
        axis = _separating_axis(a.corners, b.corners)
        # Through each other, polygons have no shortest way between them, but a way out.
        if axis.distance <= 0.0:
            return Gap(axis.distance - a.radius - b.radius, axis.x, axis.y)
        x, y = _shortest(a.corners, b.corners)
    length = math.sqrt(x * x + y * y)
    # Middles in the same place: every direction leads out.
    if length == 0.0:
        return Gap(-a.radius - b.radius, 1.0, 0.0)
    return Gap(length - a.radius - b.radius, x / length, y / length)


def touching_points(a: Placed, b: Placed, gap: Gap) -> list[Point]:
    """The points where two neighbouring figures touch: one point, or the two ends of the piece that two sides share."""
    front = max(x * gap.x + y * gap.y for x, y in a.corners)
    back = min(x * gap.x + y * gap.y for x, y in b.corners)
    # Coordinates along the tangent (-y, x).
    own = [gap.x * y - gap.y * x for x, y in a.corners if x * gap.x + y * gap.y > front - _FLAT]
    other = [gap.x * y - gap.y * x for x, y in b.corners if x * gap.x + y * gap.y < back + _FLAT]
    first, last = max(min(own), min(other)), min(max(own), max(other))
    depth = (front + a.radius + back - b.radius) / 2.0
    if last - first <= _FLAT:
        first = last = (first + last) / 2.0
    ends = [first] if first == last else [first, last]
    return [(depth * gap.x - along * gap.y, depth * gap.y + along * gap.x) for along in ends]


def _separating_axis(a: Sequence[Point], b: Sequence[Point]) -> Gap:
    """The side of either polygon from which the other one is farthest (the separating axis theorem)."""
    best = Gap(-math.inf, 1.0, 0.0)
    for own, other, sign in ((a, b, 1.0), (b, a, -1.0)):
        if len(own) == 1:
            continue
        before = own[-1]
        for corner in own:
            # Corners go counter-clockwise, so a side (dx, dy) has the outward normal (dy, -dx).
            x, y = corner[1] - before[1], before[0] - corner[0]
            length = math.sqrt(x * x + y * y)
            x, y = x / length, y / length
            # A bar also has two ends.
            for nx, ny in ((x, y), (-y, x)) if len(own) == 2 else ((x, y),):
                away = min([px * nx + py * ny for px, py in other]) - (corner[0] * nx + corner[1] * ny)
                if away > best.distance:
                    best = Gap(away, sign * nx, sign * ny)
            before = corner
    return best


def _shortest(a: Sequence[Point], b: Sequence[Point]) -> Point:
    """The shortest vector from one polygon to another that it does not meet."""
    # One of the two nearest points is a corner, so corners against sides are enough.
    least, found = math.inf, (0.0, 0.0)
    for own, other, sign in ((a, b, -1.0), (b, a, 1.0)):
        before = own[-1]
        for corner in own:
            sx, sy = corner[0] - before[0], corner[1] - before[1]
            square = sx * sx + sy * sy
            for px, py in other:
                dx, dy = before[0] - px, before[1] - py
                part = -(dx * sx + dy * sy) / square if square else 0.0
                part = 0.0 if part < 0.0 else min(part, 1.0)
                x, y = dx + part * sx, dy + part * sy
                if x * x + y * y < least:
                    least, found = x * x + y * y, (sign * x, sign * y)
            before = corner
    return found
