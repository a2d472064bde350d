# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Forces on touch links, added up over their contacts."""

import cython
from cython.cimports.libc.math import sqrt


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
