# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gaps of hinges whose bodies move by themselves, as in ODE: `physics.ode_likeness` explains them."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class HingeGapsKernel:
    """The gaps of all hinges of one world with B bodies. All arrays are shared; vectors are in the world frame.

    Attributes:
        step: length of a step, s.
        most: largest gap along an axis, m.
        shift: (B, 3) shift of each body from its place with closed hinges to its real place, m.
        closing: (B, 3) velocities that take gaps back in the next step, m/s.
        moved: (B, 3) room for the places to which bodies move in the step, m.
        gaps: (H, 3) room for the gaps, m.
        parents: (B,) body that carries each body; not read for bodies that none carries.
        holders: (B,) the nearest body up the tree that has a hinge or is a base.
        hinged: (H,) body that each hinge carries, in the order of the bodies.
        free: (F,) bodies that none carries: they have no gaps.
    """

    step: cython.double
    most: cython.double
    shift: cython.double[:, ::1]
    closing: cython.double[:, ::1]
    moved: cython.double[:, ::1]
    gaps: cython.double[:, ::1]
    parents: cython.longlong[::1]
    holders: cython.longlong[::1]
    hinged: cython.longlong[::1]
    free: cython.longlong[::1]

    def move(self, places: cython.double[:, ::1], velocities: cython.double[:, ::1]) -> None:
        """After a step: find where bodies move from their real places.

        Args:
            places: (B, 3) real places before the step, m.
            velocities: (B, 6) linear and angular velocities in the step, without velocities that close gaps.
        """
        b: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for b in range(self.shift.shape[0]):
            for n in range(3):
                speed: cython.double = velocities[b, n] + self.closing[b, n]
                self.moved[b, n] = speed * self.step + places[b, n]

    def land(self, centres: cython.double[:, ::1]) -> None:
        """After `move`: find the shifts from the places (B, 3) that bodies have with closed hinges, m."""
        b: cython.Py_ssize_t
        n: cython.Py_ssize_t
        f: cython.Py_ssize_t
        for b in range(self.shift.shape[0]):
            # A body without a hinge moves with the body that carries it.
            holder: cython.longlong = self.holders[b]
            for n in range(3):
                self.shift[b, n] = self.moved[holder, n] - centres[holder, n]
        if not self._gaps_fit():
            self._limit_gaps()
        for f in range(self.free.shape[0]):
            # One that was put back is not where its motion led.
            for n in range(3):
                self.shift[self.free[f], n] = 0.0

    @cython.cfunc
    def _gaps_fit(self) -> cython.bint:
        """Find the gaps; NaN does not fit."""
        h: cython.Py_ssize_t
        n: cython.Py_ssize_t
        fit: cython.bint = True
        for h in range(self.hinged.shape[0]):
            b: cython.longlong = self.hinged[h]
            for n in range(3):
                self.gaps[h, n] = self.shift[b, n] - self.shift[self.parents[b], n]
                if not -self.most <= self.gaps[h, n] <= self.most:
                    fit = False
        return fit

    @cython.cfunc
    def _limit_gaps(self) -> cython.void:
        b: cython.Py_ssize_t
        h: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for h in range(self.hinged.shape[0]):
            up: cython.longlong = self.holders[self.parents[self.hinged[h]]]
            for n in range(3):
                gap: cython.double = self.gaps[h, n]
                if gap > self.most:
                    gap = self.most
                elif gap < -self.most:
                    gap = -self.most
                self.shift[self.hinged[h], n] = self.shift[up, n] + gap
        for b in range(self.shift.shape[0]):
            for n in range(3):
                self.shift[b, n] = self.shift[self.holders[b], n]
