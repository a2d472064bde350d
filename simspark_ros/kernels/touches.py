# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Forces on touch links, added up over their contacts."""

from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.libc.math import fabs, sqrt

# A contact so near to a corner along each axis is the corner's, m.
_NEAR = cython.declare(cython.double, 0.01)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class TouchSums:
    """Contacts of T touch links.

    Attributes:
        sums: (T, 7) sums of weights, weighted points (3) and forces (3) of each link's contacts, world frame. A
            contact weighs as much as its force is large, N.
    """

    sums: cython.double[:, ::1]

    def clear(self) -> None:
        """Forget all contacts."""
        self.sums[:, :] = 0.0

    @cython.ccall
    def add(
        self,
        touch: cython.Py_ssize_t,
        weight: cython.double,
        x: cython.double,
        y: cython.double,
        z: cython.double,
        force_x: cython.double,
        force_y: cython.double,
        force_z: cython.double,
    ) -> None:
        """Add a contact of a link: its weight, N, point, m, and force, N, world frame."""
        self.sums[touch, 0] += weight
        self.sums[touch, 1] += weight * x
        self.sums[touch, 2] += weight * y
        self.sums[touch, 3] += weight * z
        self.sums[touch, 4] += force_x
        self.sums[touch, 5] += force_y
        self.sums[touch, 6] += force_z

    def add_all(self, touch: cython.Py_ssize_t, points: cython.double[:, :], forces: cython.double[:, :]) -> None:
        """Add contacts of a link: (C, 3) points, m, and forces, N, world frame."""
        c: cython.Py_ssize_t
        for c in range(points.shape[0]):
            x: cython.double = forces[c, 0]
            y: cython.double = forces[c, 1]
            z: cython.double = forces[c, 2]
            weight: cython.double = sqrt(x * x + y * y + z * z)
            self.add(touch, weight, points[c, 0], points[c, 1], points[c, 2], x, y, z)

    def read(
        self,
        places: cython.longlong[:],
        centres: cython.double[:, :],
        rotations: cython.double[:, :, :],
        touching: cython.uchar[::1],
        numbers: cython.double[:, :, ::1],
    ) -> None:
        """Write what the links feel.

        Args:
            places: (T,) rows of the links in the two following arrays.
            centres: (L, 3) centres of mass of links, world frame, m.
            rotations: (L, 3, 3) rotations of these links to the world.
            touching: (T,) whether a link touches anything, written.
            numbers: (2, T, 3) weighted mean point, m, and force, N, in the link's axes from its centre, written; zeros
                for links that touch nothing.
        """
        t: cython.Py_ssize_t
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for t in range(places.shape[0]):
            weight: cython.double = self.sums[t, 0]
            touching[t] = weight > 0.0
            for n in range(3):
                numbers[0, t, n] = 0.0
                numbers[1, t, n] = 0.0
                if touching[t]:
                    for k in range(3):
                        turn: cython.double = rotations[places[t], k, n]
                        numbers[0, t, n] += (self.sums[t, 1 + k] / weight - centres[places[t], k]) * turn
                        numbers[1, t, n] += self.sums[t, 4 + k] * turn


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ListedContacts:
    """Contacts as Bullet lists them, and corners in the ground: `physics.bullet.touch` explains them.

    Attributes:
        sums: sums of the touch links.
        meanings: meanings of contacts, by Bullet's numbers of bodies A and B and links of A and B: what `add` returns
            of such a contact or None, and the numbers of the touch links of A and B, -1 for none.
        learn: finds a meaning that is not known yet.
        shapes: (T, 2) first and end of the shapes with corners of each touch link.
        firsts: (S + 1,) first corner in the ground of each shape, and their number.
        felt: (C, 6) place and force of these corners, m and N; Bullet's forces on the same corners are added here.
        contact: (6,) room for place and force of a contact.
    """

    sums: TouchSums
    meanings: dict[Any, Any]
    learn: Callable[[Any], Any]
    shapes: cython.longlong[:, ::1]
    firsts: cython.longlong[::1]
    felt: cython.double[:, ::1]
    contact: cython.double[::1]

    def add(self, contacts: tuple[Any, ...]) -> list[Any]:
        """Sum up contacts of `pybullet.getContactPoints`; returns what they mean, unless None, with their points."""
        meant: list[Any] = []
        t: cython.Py_ssize_t
        c: cython.Py_ssize_t
        contact: tuple[Any, ...]
        self.sums.clear()
        for contact in contacts:
            gap: cython.double = contact[8]
            force: cython.double = contact[9]
            # Bullet also lists bodies that are only near, and bodies that touch and move apart.
            if force <= 0.0 and gap > 0.0:
                continue
            links = contact[1:5]
            meaning: tuple[Any, ...] = self.meanings.get(links) or self.learn(links)
            if meaning[0] is not None:
                meant.append((meaning[0], contact[5]))
            if force > 0.0:
                self._take(contact)
                # Bullet reports the forces on body A; a contact of two touch links counts for both.
                self._press(meaning[1], 1.0)
                self._press(meaning[2], -1.0)
        for t in range(self.shapes.shape[0]):
            for c in range(self.firsts[self.shapes[t, 0]], self.firsts[self.shapes[t, 1]]):
                self._add(t, self.felt[c], 1.0)
        return meant

    @cython.cfunc
    def _take(self, contact: tuple[Any, ...]) -> cython.void:
        """Write a contact into `contact`."""
        n: cython.Py_ssize_t
        place: tuple[Any, ...] = contact[5]
        normal: tuple[Any, ...] = contact[7]
        axis_u: tuple[Any, ...] = contact[11]
        axis_v: tuple[Any, ...] = contact[13]
        force: cython.double = contact[9]
        force_u: cython.double = contact[10]
        force_v: cython.double = contact[12]
        for n in range(3):
            along: cython.double = normal[n]
            u: cython.double = axis_u[n]
            v: cython.double = axis_v[n]
            self.contact[n] = place[n]
            self.contact[3 + n] = force * along + force_u * u + force_v * v

    @cython.cfunc
    @cython.exceptval(check=False)
    def _press(self, touch: cython.Py_ssize_t, sign: cython.double) -> cython.void:
        """Let a touch link, or its corner at that place, feel the contact."""
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        if touch < 0:
            return
        for c in range(self.firsts[self.shapes[touch, 0]], self.firsts[self.shapes[touch, 1]]):
            apart: cython.double = 0.0
            for n in range(3):
                apart = max(apart, fabs(self.felt[c, n] - self.contact[n]))
            if apart < _NEAR:
                for n in range(3, 6):
                    self.felt[c, n] += sign * self.contact[n]
                return
        self._add(touch, self.contact, sign)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _add(self, touch: cython.Py_ssize_t, own: cython.double[::1], sign: cython.double) -> cython.void:
        x: cython.double = sign * own[3]
        y: cython.double = sign * own[4]
        z: cython.double = sign * own[5]
        self.sums.add(touch, sqrt(x * x + y * y + z * z), own[0], own[1], own[2], x, y, z)
