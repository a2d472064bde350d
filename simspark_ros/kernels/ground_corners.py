# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Corners of robots in the ground: `physics.bullet.ode_likeness.ground_grip` and `limb_grounds` explain them."""

import math

import cython
from cython.cimports.libc.math import floor, isnan

_CORNERS = cython.declare(cython.Py_ssize_t, 8)
# Most contacts of a shape with the ground, as on the classic server.
_MOST = cython.declare(cython.Py_ssize_t, 4)
# Rounding of squared distances, 1/m^2: the diagonals of a foot are equal, and rounding is not to choose between them.
_EQUAL = cython.declare(cython.double, 1e9)
_NONE = cython.declare(cython.double, -math.inf)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class GroundCorners:
    """The eight corners of each of S shapes, which the ground grips. All arrays are shared.

    Attributes:
        slip: speed at which a corner slips per force, m/s per N.
        places: (S,) the shapes' links, of P.
        corners: (S, 8, 3) corners from the link's centre of mass in the link's axes, m; NaN where a shape has fewer.
        radii: (S,) radius of round corners, m.
        centres: (P, 3) centres of mass of the links where Bullet has them, m.
        rotations: (P, 9) rotations of the links to the world.
        shifts, closing: (P, 3) shifts of the links from there to their real places, m, and the velocities that undo
            them, m/s.
        masses: (9,) mass of a tied corner's skate, kg, by the number of its shape's corners in the ground.
        points: (S, 8, 3) room for the places of corners, or of the lowest points of round ones, in Bullet, m.
        arms: (S, 8, 3) room for their ways from the links' centres, m.
        heights: (S, 8) room for their real heights above the ground, m.
        extents: (S, 4) room for the height of each shape's lowest corner, and of its highest one in the ground, -inf if
            none is, and the shift up of its link, m, and the velocity up that closes that, m/s.
        held: (8 S,) room for the numbers of corners in the ground, shape by shape: at most the lowest four of each.
        firsts: (S + 1,) the first of these corners of each shape, and their number; the first number is zero.
        tied: (2 S, 8) room for one or two corners of each shape that stand for them: number, mass of the skate, place,
            and the link's velocity that closes its shift.
        felt: (8 S, 6) room for what corners in the ground feel: the place, m, and the force on it, N.
    """

    slip: cython.double
    places: cython.longlong[::1]
    corners: cython.double[:, :, ::1]
    radii: cython.double[::1]
    centres: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    shifts: cython.double[:, ::1]
    closing: cython.double[:, ::1]
    masses: cython.double[::1]
    points: cython.double[:, :, ::1]
    arms: cython.double[:, :, ::1]
    heights: cython.double[:, ::1]
    extents: cython.double[:, ::1]
    held: cython.longlong[::1]
    firsts: cython.longlong[::1]
    tied: cython.double[:, ::1]
    felt: cython.double[:, ::1]

    def find(self) -> cython.Py_ssize_t:
        """Find all corners and their heights; returns the number of corners in `tied`."""
        held: cython.Py_ssize_t = 0
        tied: cython.Py_ssize_t = 0
        s: cython.Py_ssize_t
        for s in range(self.places.shape[0]):
            self._place(s)
            found: cython.Py_ssize_t = self._hold(s, held)
            if found:
                tied = self._tie(s, held, found, tied)
            held += found
            self.firsts[s + 1] = held
        return tied

    def feel(self, motion: cython.double[:, ::1]) -> None:
        """After a step, find what the corners in the ground feel.

        motion: (P, 6) velocities of the links in the step, with what closes gaps, m/s and rad/s.
        """
        h: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for h in range(self.firsts[self.places.shape[0]]):
            s: cython.Py_ssize_t = self.held[h] // _CORNERS
            c: cython.Py_ssize_t = self.held[h] % _CORNERS
            link: cython.longlong = self.places[s]
            # The velocity of the corner, v + w x arm, which the force along the ground is against.
            x: cython.double = motion[link, 4] * self.arms[s, c, 2] - motion[link, 5] * self.arms[s, c, 1]
            y: cython.double = motion[link, 5] * self.arms[s, c, 0] - motion[link, 3] * self.arms[s, c, 2]
            for n in range(3):
                self.felt[h, n] = self.points[s, c, n]
            self.felt[h, 3] = (x + motion[link, 0]) / -self.slip
            self.felt[h, 4] = (y + motion[link, 1]) / -self.slip
            self.felt[h, 5] = 0.0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _place(self, s: cython.Py_ssize_t) -> cython.void:
        """Find the corners of a shape."""
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        link: cython.longlong = self.places[s]
        lowest: cython.double = -_NONE
        shallowest: cython.double = _NONE
        for c in range(_CORNERS):
            for n in range(3):
                self.arms[s, c, n] = (
                    self.rotations[link, 3 * n] * self.corners[s, c, 0]
                    + self.rotations[link, 3 * n + 1] * self.corners[s, c, 1]
                    + self.rotations[link, 3 * n + 2] * self.corners[s, c, 2]
                )
            self.arms[s, c, 2] -= self.radii[s]
            for n in range(3):
                self.points[s, c, n] = self.arms[s, c, n] + self.centres[link, n]
            # Corners are tied where Bullet has them, and are in the ground where they really are.
            height: cython.double = self.points[s, c, 2] + self.shifts[link, 2]
            self.heights[s, c] = height
            if height < lowest:
                lowest = height
            if 0.0 > height > shallowest:
                shallowest = height
        self.extents[s, 0] = lowest
        self.extents[s, 1] = shallowest
        self.extents[s, 2] = self.shifts[link, 2]
        self.extents[s, 3] = self.closing[link, 2]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _hold(self, s: cython.Py_ssize_t, first: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the corners of a shape in the ground from a place of `held` on; returns their number."""
        c: cython.Py_ssize_t
        k: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        for c in range(_CORNERS):
            height: cython.double = self.heights[s, c]
            if isnan(height) or height >= 0.0:
                continue
            lower: cython.Py_ssize_t = 0
            for k in range(_CORNERS):
                lower += self.heights[s, k] < height or (k < c and self.heights[s, k] == height)
            if lower < _MOST:
                self.held[first + count] = _CORNERS * s + c
                count += 1
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _tie(
        self, s: cython.Py_ssize_t, first: cython.Py_ssize_t, count: cython.Py_ssize_t, tied: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write the one or two of a shape's corners in the ground that stand for all; returns the next row."""
        one: cython.longlong = self.held[first]
        other: cython.longlong = self.held[first + 1] if count > 1 else one
        farthest: cython.double = 0.0
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(count):
            for k in range(i + 1, count):
                apart: cython.double = floor(self._apart(s, self.held[first + i], self.held[first + k]) * _EQUAL + 0.5)
                if apart > farthest:
                    farthest = apart
                    one, other = self.held[first + i], self.held[first + k]
        self._write(tied, s, one, self.masses[count])
        if count > 1:
            self._write(tied + 1, s, other, self.masses[count])
        return tied + 1 + (count > 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _apart(self, s: cython.Py_ssize_t, one: cython.longlong, other: cython.longlong) -> cython.double:
        """Square of the distance of two corners of a shape, m^2."""
        square: cython.double = 0.0
        n: cython.Py_ssize_t
        for n in range(3):
            way: cython.double = self.points[s, one % _CORNERS, n] - self.points[s, other % _CORNERS, n]
            square += way * way
        return square

    @cython.cfunc
    @cython.exceptval(check=False)
    def _write(
        self, row: cython.Py_ssize_t, s: cython.Py_ssize_t, corner: cython.longlong, mass: cython.double
    ) -> cython.void:
        """Write a row of `tied`."""
        n: cython.Py_ssize_t
        self.tied[row, 0] = corner
        self.tied[row, 1] = mass
        for n in range(3):
            self.tied[row, 2 + n] = self.points[s, corner % _CORNERS, n]
            self.tied[row, 5 + n] = self.closing[self.places[s], n]
