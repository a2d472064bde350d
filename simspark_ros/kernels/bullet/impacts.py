# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Impacts that Bullet has made plastic, and the pushes by which bodies part: `physics.bullet.rebounds`.

Two parts approach at the speed a along their contacts' mean normal, and part at l after the step. Gravity takes g of
that, and in the next step again. The impulse J of the impact has made l + a - g of it, and s J makes them part at e a
(Poisson's hypothesis; e is their restitution), if

    s = (e a - l - g) / (l + a - g).
"""

from typing import Any

import cython
from cython.cimports.libc.math import sqrt


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class Impacts:
    """The impacts of N robots, which move as if they were rigid. Vectors are in the world frame.

    Tables of bases (N, 13) have positions, m, quaternions, velocities, m/s, and angular velocities, rad/s.

    Attributes:
        step: length of a step, s.
        slow: speed of approach up to which nothing rebounds, m/s.
        rows: rows of the robots by Bullet's number of the body.
        restitution: restitution of links and obstacles by Bullet's numbers of body and link.
        gravity: (3,) acceleration of gravity, m/s2.
        lively: (N,) room for whether a robot is fast enough to rebound.
        point, normal: (3,) room for the mean place of an impact, m, and its mean normal towards the first part.
        relative: (3,) room for the first part's velocity there less that of the other, m/s.
    """

    step: cython.double
    slow: cython.double
    rows: dict[Any, Any]
    restitution: dict[Any, Any]
    gravity: cython.double[::1]
    lively: cython.uchar[::1]
    point: cython.double[::1]
    normal: cython.double[::1]
    relative: cython.double[::1]

    def find_lively(self, bases: cython.double[:, :]) -> bool:
        """Find the robots that are fast enough to rebound in the step that begins so; returns whether there is one."""
        row: cython.Py_ssize_t
        some: cython.bint = False
        for row in range(bases.shape[0]):
            # Points up to a metre from the middle of a body are no faster than this.
            speed: cython.double = _length(bases[row, 7], bases[row, 8], bases[row, 9])
            speed += _length(bases[row, 10], bases[row, 11], bases[row, 12])
            self.lively[row] = speed > self.slow / 2.0
            some = some or self.lively[row]
        return some

    def find_pushes(
        self, listed: dict[Any, Any], before: cython.double[:, :], after: cython.double[:, :]
    ) -> list[tuple[Any, ...]]:
        """The pushes of the next step on parts that met: body, link, (3,) force, N, and point, m.

        Args:
            listed: `pybullet.getContactPoints` of each body with elastic links, by Bullet's number, rising.
            before: table of bases before the step.
            after: table of bases after the step.
        """
        met: dict[Any, Any] = {}
        pushes: list[tuple[Any, ...]] = []
        contact: tuple[Any, ...]
        for body, contacts in listed.items():
            for contact in contacts:
                one, other = (contact[1], contact[3]), (contact[2], contact[4])
                # A contact of two elastic bodies is listed for both.
                if contact[9] <= 0.0 or (contact[2] < body and contact[2] in listed):
                    continue
                if not (self._is_lively(contact[1]) or self._is_lively(contact[2])):
                    continue
                if one in self.restitution and other in self.restitution:
                    met.setdefault((one, other), []).append(contact)
        for (one, other), contacts in met.items():
            self._part(one, other, contacts, before, after, pushes)
        return pushes

    @cython.cfunc
    def _is_lively(self, body: object) -> cython.bint:
        row: cython.Py_ssize_t = self.rows.get(body, -1)
        return row >= 0 and self.lively[row]

    @cython.cfunc
    def _part(
        self,
        one: tuple[Any, ...],
        other: tuple[Any, ...],
        contacts: list[Any],
        before: cython.double[:, :],
        after: cython.double[:, :],
        pushes: list[Any],
    ) -> cython.void:
        """Add the pushes on two parts, by body and link, that met."""
        first: cython.Py_ssize_t = self.rows.get(one[0], -1)
        second: cython.Py_ssize_t = self.rows.get(other[0], -1)
        contact: tuple[Any, ...]
        n: cython.Py_ssize_t
        self._find_middle(contacts)
        approach: cython.double = -self._speed(first, second, before)
        if approach <= self.slow:
            return
        left: cython.double = self._speed(first, second, after)
        falling: cython.double = 0.0
        for n in range(3):
            falling += self.normal[n] * self.gravity[n]
        falling = falling * self.step * ((first >= 0) - (second >= 0))
        wanted: cython.double = self.restitution[one] * self.restitution[other] * approach
        share: cython.double = (wanted - left - falling) / max(left + approach - falling, self.slow * 1e-3)
        for contact in contacts:
            push: cython.double = max(share, 0.0) * contact[9]
            axis: tuple[Any, ...] = contact[7]
            x: cython.double = push * axis[0]
            y: cython.double = push * axis[1]
            z: cython.double = push * axis[2]
            pushes.append((one[0], one[1], (x, y, z), contact[5]))
            if second >= 0:
                pushes.append((other[0], other[1], (-x, -y, -z), contact[5]))

    @cython.cfunc
    def _find_middle(self, contacts: list[Any]) -> cython.void:
        """Find mean point and normal of contacts, which weigh as much as their force is large."""
        contact: tuple[Any, ...]
        n: cython.Py_ssize_t
        total: cython.double = 0.0
        for n in range(3):
            self.point[n] = self.normal[n] = 0.0
        for contact in contacts:
            force: cython.double = contact[9]
            place: tuple[Any, ...] = contact[5]
            axis: tuple[Any, ...] = contact[7]
            total += force
            for n in range(3):
                self.point[n] += force * cython.cast(cython.double, place[n])
                self.normal[n] += force * cython.cast(cython.double, axis[n])
        for n in range(3):
            self.point[n] /= total
            self.normal[n] /= total

    @cython.cfunc
    @cython.exceptval(check=False)
    def _speed(self, first: cython.Py_ssize_t, second: cython.Py_ssize_t, bases: cython.double[:, :]) -> cython.double:
        """Speed at which two robots part along the normal, m/s; -1 for an obstacle, which stands still."""
        n: cython.Py_ssize_t
        speed: cython.double = 0.0
        for n in range(3):
            self.relative[n] = 0.0
        if first >= 0:
            self._add_velocity(first, 1.0, bases)
        if second >= 0:
            self._add_velocity(second, -1.0, bases)
        for n in range(3):
            speed += self.normal[n] * self.relative[n]
        return speed

    @cython.cfunc
    @cython.exceptval(check=False)
    def _add_velocity(self, row: cython.Py_ssize_t, sign: cython.double, bases: cython.double[:, :]) -> cython.void:
        """Add a robot's velocity at the point, v + w x arm, to `relative`."""
        x: cython.double = self.point[0] - bases[row, 0]
        y: cython.double = self.point[1] - bases[row, 1]
        z: cython.double = self.point[2] - bases[row, 2]
        self.relative[0] += sign * (bases[row, 7] + (bases[row, 11] * z - bases[row, 12] * y))
        self.relative[1] += sign * (bases[row, 8] + (bases[row, 12] * x - bases[row, 10] * z))
        self.relative[2] += sign * (bases[row, 9] + (bases[row, 10] * y - bases[row, 11] * x))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _length(x: cython.double, y: cython.double, z: cython.double) -> cython.double:
    return sqrt(x * x + y * y + z * z)
