# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Contacts as Bullet lists them, added up for touch links: `physics.bullet.touch` explains them."""

from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.libc.math import fabs, sqrt

from simspark_ros.kernels.touches import TouchSums

# A contact so near to a corner along each axis is the corner's, m.
_NEAR = cython.declare(cython.double, 0.01)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ListedContacts:
    """Contacts as Bullet lists them, and corners in the ground.

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
