# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Corners of robots in the ground: `physics.bullet.ode_likeness.ground_grip` and `limb_grounds` explain them."""

import math

import cython
from cython.cimports.libc.math import fabs, floor, isnan

_CORNERS = cython.declare(cython.Py_ssize_t, 8)
# Most contacts of a shape with the ground, as on the classic server.
_MOST = cython.declare(cython.Py_ssize_t, 4)
# Rounding of squared distances, 1/m^2: the diagonals of a foot are equal, and rounding is not to choose between them.
_EQUAL = cython.declare(cython.double, 1e9)
_NONE = cython.declare(cython.double, -math.inf)
# A plate follows its limb when that is so far from its middle, m.
_STRAY = cython.declare(cython.double, 0.2)
# Height from which on a plate is moved, m.
_LEAST = cython.declare(cython.double, 1e-5)
# A plate stays so far below corners above the ground, m.
_CLEAR = cython.declare(cython.double, 1e-4)
# A limb higher than this touches no ground in a step, m.
_HIGH = cython.declare(cython.double, 0.05)


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
        extents: (S, 2) room for the height of each shape's lowest corner, and of its highest one in the ground, -inf if
            none is, m.
        held: (8 S,) room for the numbers of corners in the ground, shape by shape: at most the lowest four of each.
        firsts: (S + 1,) the first of these corners of each shape, and their number; the first number is zero.
        tied: (2 S, 8) room for one or two corners of each shape that stand for them: number, mass of the skate, place,
            and the link's velocity that closes its shift.
        layer: depth of a contact that Bullet leaves alone, m.
        push, rate: speeds per depth at which Bullet pushes out what is deeper, and brakes what is not as deep, 1/s.
        limbs: (S,) number of the limb of each shape, -1 for none.
        lowest: (L,) room for the lowest shape of each limb.
        plates: (L, 4) places of the limbs' plates, m, and their speeds up, m/s.
        robots: (S,) rows of the robots, of N.
        ties: (N,) number of each robot's corners that are tied.
        loads: (8 S,) mass of the skate that each corner is tied to, kg, zero for none.
        skates: (8 S,) number of that skate.
        leap: (2,) sideways velocity of a skate at rest, m/s, which gravity takes back.
        skate_places, skate_speeds: (K, 3) places of the skates, m, and velocities, m/s, to set before a step.
        changing: (N,) room for whether skates of a robot have to be tied, untied, loaded or moved on their links.
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
    layer: cython.double
    push: cython.double
    rate: cython.double
    limbs: cython.longlong[::1]
    lowest: cython.longlong[::1]
    plates: cython.double[:, ::1]
    robots: cython.longlong[::1]
    ties: cython.longlong[::1]
    loads: cython.double[::1]
    skates: cython.longlong[::1]
    leap: cython.double[::1]
    skate_places: cython.double[:, ::1]
    skate_speeds: cython.double[:, ::1]
    changing: cython.uchar[::1]
    felt: cython.double[:, ::1]

    def find(self) -> cython.Py_ssize_t:
        """Find all corners, their heights, and robots that are `changing`; returns the number of corners in `tied`."""
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
        self._compare(tied)
        return tied

    @cython.cfunc
    @cython.exceptval(check=False)
    def _compare(self, count: cython.Py_ssize_t) -> cython.void:
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        last: cython.Py_ssize_t = 0
        for n in range(self.ties.shape[0]):
            self.changing[n] = 0
            first: cython.Py_ssize_t = last
            for k in range(first, count):
                corner: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.tied[k, 0])
                if self.robots[corner // _CORNERS] != n:
                    break
                last = k + 1
                # The lowest point of a round end wanders over the link as the link turns.
                if self.loads[corner] != self.tied[k, 1] or self.radii[corner // _CORNERS] > 0.0:
                    self.changing[n] = 1
            if last - first != self.ties[n]:
                self.changing[n] = 1

    def level(self) -> list[int]:
        """Find where limbs see the ground; returns the limbs whose plates have to be put there."""
        moved: list[int] = []
        n: cython.Py_ssize_t
        s: cython.Py_ssize_t
        self.lowest[:] = -1
        for s in range(self.places.shape[0]):
            n = self.limbs[s]
            if n >= 0 and (self.lowest[n] < 0 or self.extents[s, 0] < self.extents[self.lowest[n], 0]):
                self.lowest[n] = s
        for n in range(self.lowest.shape[0]):
            if self._level(n, self.lowest[n]):
                moved.append(n)
        return moved

    @cython.cfunc
    @cython.exceptval(check=False)
    def _level(self, n: cython.Py_ssize_t, s: cython.Py_ssize_t) -> cython.bint:
        """Write the plate of a limb by its lowest shape; returns whether it moves."""
        depth: cython.double = -self.extents[s, 0]
        height: cython.double = -self.shifts[self.places[s], 2]
        speed: cython.double = -self.closing[self.places[s], 2]
        if fabs(height) < _LEAST or depth < -_HIGH:
            height = speed = 0.0
        if self.extents[s, 1] > _CLEAR - self.layer:
            # ODE stops corners within the layer, Bullet below it.
            lift: cython.double = self._lift(s)
            below: cython.double = depth + lift - self.layer
            height += lift
            speed += self.push * max(0.0, depth - self.layer) - below * (self.push if below > 0.0 else self.rate)
        x: cython.double = self.points[s, 0, 0]
        y: cython.double = self.points[s, 0, 1]
        is_near: cython.bint = fabs(x - self.plates[n, 0]) <= _STRAY and fabs(y - self.plates[n, 1]) <= _STRAY
        if is_near and speed == 0.0 and self.plates[n, 3] == 0.0 and height == self.plates[n, 2]:
            return False
        self.plates[n, 0] = x
        self.plates[n, 1] = y
        self.plates[n, 2] = height
        self.plates[n, 3] = speed
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _lift(self, s: cython.Py_ssize_t) -> cython.double:
        """How much higher a plate is, m: higher, and it would touch corners above the ground."""
        c: cython.Py_ssize_t
        free: cython.double = -_NONE
        for c in range(_CORNERS):
            if 0.0 <= self.heights[s, c] < free:
                free = self.heights[s, c]
        return min(self.layer, max(0.0, (_HIGH if free == -_NONE else free) - _CLEAR))

    def put(self, count: cython.Py_ssize_t) -> None:
        """Put the skates of the first corners of `tied` where they belong, so that real corners rest."""
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for k in range(count):
            skate: cython.longlong = self.skates[cython.cast(cython.Py_ssize_t, self.tied[k, 0])]
            for n in range(3):
                self.skate_places[skate, n] = self.tied[k, 2 + n]
            for n in range(2):
                self.skate_speeds[skate, n] = self.leap[n] - self.tied[k, 5 + n]

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
