# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Two parts that may meet: their distance, the time of their impact, found by bisection, and where they touch."""

import math

import cython
from cython.cimports.libc.math import fabs, sqrt

from simspark_ros.kernels.planar.body import PlanarBody, PlanarPart

GRAZE = 1e-3
"""Length of the steps that follow the motion of near bodies, m; shorter overlaps may be missed."""

_GRAZE = cython.declare(cython.double, GRAZE)
# Greatest distance at which bodies touch, m.
_TOUCH = cython.declare(cython.double, 1e-6)
# Depth that touching bodies may gain before their contact counts again, m.
_SLACK = cython.declare(cython.double, 1e-5)
# Speed below which an approach counts as a rounding error, m/s.
_RESTING = cython.declare(cython.double, 1e-9)
# Greatest distance of a touching side's corner behind the foremost corner, m.
_FLAT = cython.declare(cython.double, 1e-5)
_FAR = cython.declare(cython.double, math.inf)


def _length(x, y):
    return sqrt(x * x + y * y)


class Meeting:
    """Two parts of two bodies that may meet.

    Attributes:
        a, part_a, b, part_b: the bodies and their parts.
        distance: distance of the parts, negative where they overlap, m, when `look` saw them.
        x, y: unit normal of that gap from a to b.
        time: time of the impact, s.
    """

    def __init__(self, a, part_a, b, part_b) -> None:
        self.a, self.part_a, self.b, self.part_b = a, part_a, b, part_b

    def look(self, seconds):
        """Find the shortest way between the parts after a while, or the shortest way out; returns the distance."""
        a: PlanarPart = self.part_a
        b: PlanarPart = self.part_b
        self.a.place(a, seconds)
        self.b.place(b, seconds)
        x: cython.double = b.placed[0, 0] - a.placed[0, 0]
        y: cython.double = b.placed[0, 1] - a.placed[0, 1]
        if a.placed.shape[0] > 1 or b.placed.shape[0] > 1:
            self.distance = -_FAR
            self._separate(a, b, 1.0)
            self._separate(b, a, -1.0)
            # Through each other, polygons have no shortest way between them, but a way out.
            if self.distance <= 0.0:
                self.distance = self.distance - a.radius - b.radius
                return self.distance
            self.distance = _FAR
            self._approach(a, b, -1.0)
            self._approach(b, a, 1.0)
            x, y = self.x, self.y
        far: cython.double = sqrt(x * x + y * y)
        self.distance = far - a.radius - b.radius
        # Middles in the same place: every direction leads out.
        self.x = x / far if far != 0.0 else 1.0
        self.y = y / far if far != 0.0 else 0.0
        return self.distance

    def _separate(self, own, other, sign):
        """Look for the side of a polygon from which another one is farthest (the separating axis theorem)."""
        count: cython.Py_ssize_t = own.placed.shape[0]
        for i in range(count if count > 1 else 0):
            before: cython.Py_ssize_t = i - 1 if i else count - 1
            # Corners go counter-clockwise, so a side (dx, dy) has the outward normal (dy, -dx).
            x: cython.double = own.placed[i, 1] - own.placed[before, 1]
            y: cython.double = own.placed[before, 0] - own.placed[i, 0]
            side: cython.double = sqrt(x * x + y * y)
            x, y = x / side, y / side
            # A bar also has two ends.
            for end in range(2 if count == 2 else 1):
                if end:
                    x, y = -y, x
                away: cython.double = _FAR
                for k in range(other.placed.shape[0]):
                    away = min(away, other.placed[k, 0] * x + other.placed[k, 1] * y)
                away -= own.placed[i, 0] * x + own.placed[i, 1] * y
                if away > self.distance:
                    self.distance, self.x, self.y = away, sign * x, sign * y

    def _approach(self, own, other, sign):
        """Look for the shortest vector from a polygon to another that it does not meet; `distance`: its square."""
        # One of the two nearest points is a corner, so corners against sides are enough.
        count: cython.Py_ssize_t = own.placed.shape[0]
        for i in range(count):
            before: cython.Py_ssize_t = i - 1 if i else count - 1
            sx: cython.double = own.placed[i, 0] - own.placed[before, 0]
            sy: cython.double = own.placed[i, 1] - own.placed[before, 1]
            square: cython.double = sx * sx + sy * sy
            for k in range(other.placed.shape[0]):
                x: cython.double = own.placed[before, 0] - other.placed[k, 0]
                y: cython.double = own.placed[before, 1] - other.placed[k, 1]
                share: cython.double = -(x * sx + y * sy) / square if square != 0.0 else 0.0
                share = 0.0 if share < 0.0 else min(share, 1.0)
                x, y = x + share * sx, y + share * sy
                if x * x + y * y < self.distance:
                    self.distance, self.x, self.y = x * x + y * y, sign * x, sign * y

    def touches(self):
        """Whether the parts touch now."""
        return self.look(0.0) <= _TOUCH

    def fastest(self, seconds):
        """Upper bound of the speed of any point of one part, as seen from the other, in a while, m/s.

        Seen from a, which turns, b moves with its velocity less the velocity of a's plane at b's middle, and turns by
        the difference of the spins; b's middle moves on meanwhile. Bodies that touch and move as one are slow.
        """
        a: PlanarBody = self.a
        b: PlanarBody = self.b
        x: cython.double = b.x - a.x
        y: cython.double = b.y - a.y
        vx: cython.double = b.vx - a.vx
        vy: cython.double = b.vy - a.vy
        apart: cython.double = _length(vx, vy)
        turn: cython.double = fabs(b.spin - a.spin)
        seen: cython.double = min(
            _length(vx + a.spin * y, vy - a.spin * x) + turn * b.reach + fabs(a.spin) * apart * seconds,
            _length(vx + b.spin * y, vy - b.spin * x) + turn * a.reach + fabs(b.spin) * apart * seconds,
            apart + fabs(a.spin) * a.reach + fabs(b.spin) * b.reach,
        )
        joint: cython.double = _length(self.part_a.vx, self.part_a.vy) + fabs(self.part_a.spin) * 2.0 * a.reach
        joint += _length(self.part_b.vx, self.part_b.vy) + fabs(self.part_b.spin) * 2.0 * b.reach
        return seen + joint

    def find_impact(self, left, resolution):
        """Find when the parts first overlap, early by less than the resolution; returns whether in the time left, s."""
        distance: cython.double = self.look(0.0)
        least: cython.double = 0.0 if distance > _TOUCH else min(distance, 0.0) - _SLACK
        fastest: cython.double = self.fastest(left)
        self.time = 0.0
        if distance <= _TOUCH:
            for x, y in self.points():
                normal, _ = self.speeds_at(x, y)
                if normal < -_RESTING:
                    return True
        if fastest * left <= distance - least:
            return False
        while self.time < left:
            # Parts cannot meet before their fastest points have covered the distance. A little more keeps the steps
            # from shrinking for ever as the parts come near.
            overlapping: cython.double = min(left, self.time + (max(distance - least, 0.0) + _GRAZE) / fastest)
            distance = self.look(overlapping)
            if distance < least:
                while overlapping - self.time > resolution:
                    middle: cython.double = (self.time + overlapping) / 2.0
                    if self.look(middle) < least:
                        overlapping = middle
                    else:
                        self.time = middle
                return True
            self.time = overlapping
        return False

    def points(self):
        """The points (x, y) at which touching parts touch, m: one, or the ends of the piece that two sides share."""
        self.look(0.0)
        front, first, last = _front(self.part_a, self.x, self.y)
        back, other_last, other_first = _front(self.part_b, -self.x, -self.y)
        first, last = max(first, -other_first), min(last, -other_last)
        depth: cython.double = (front + self.part_a.radius - back - self.part_b.radius) / 2.0
        if last - first <= _FLAT:
            first = last = (first + last) / 2.0
        ends: list = [first] if first == last else [first, last]
        return [(depth * self.x - along * self.y, depth * self.y + along * self.x) for along in ends]

    def speeds_at(self, x, y):
        """Velocity of b relative to a at a point of the world, along the normal and to its left, m/s."""
        ax, ay = self.a.velocity_at(self.part_a, x, y)
        bx, by = self.b.velocity_at(self.part_b, x, y)
        vx: cython.double = bx - ax
        vy: cython.double = by - ay
        return vx * self.x + vy * self.y, vy * self.x - vx * self.y


def _front(part, x, y):
    """Distance that the polygon of a placed part reaches along (x, y), and from where to where to the left there, m."""
    front: cython.double = -_FAR
    first: cython.double = _FAR
    last: cython.double = -_FAR
    for i in range(part.placed.shape[0]):
        front = max(front, part.placed[i, 0] * x + part.placed[i, 1] * y)
    for i in range(part.placed.shape[0]):
        if part.placed[i, 0] * x + part.placed[i, 1] * y > front - _FLAT:
            first = min(first, x * part.placed[i, 1] - y * part.placed[i, 0])
            last = max(last, x * part.placed[i, 1] - y * part.placed[i, 0])
    return front, first, last
