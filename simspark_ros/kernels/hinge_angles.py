# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Angles of hinges, from the orientations of the bodies that they join."""

import cython
from cython.cimports.libc.math import atan2, copysign, sqrt


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class HingeAngles:
    """J hinges.

    Attributes:
        children, parents: (J,) rows of their bodies in a table.
        column: first column of the orientations in the table: unit quaternions w, x, y, z.
        zeros: (J, 4) orientations of the children in the parents when the hinges are at zero.
        axes: (J, 3) axes in the children.
        tilts: (J,) 1 for angles that include the hinge's tilt, as ODE's do.
    """

    children: cython.longlong[::1]
    parents: cython.longlong[::1]
    column: cython.Py_ssize_t
    zeros: cython.double[:, ::1]
    axes: cython.double[:, ::1]
    tilts: cython.uchar[::1]

    def read(self, table: cython.double[:, ::1], angles: cython.double[::1]) -> None:
        """Write the angles (J,), rad, without whole turns."""
        n: cython.Py_ssize_t
        i: cython.Py_ssize_t
        turn = cython.declare(cython.double[4])
        for n in range(self.children.shape[0]):
            for i in range(4):
                turn[i] = table[self.children[n], self.column + i]
            self._unturn(turn, table, self.parents[n], self.column)
            self._unturn(turn, self.zeros, n, 0)
            along: cython.double = turn[1] * self.axes[n, 0] + turn[2] * self.axes[n, 1] + turn[3] * self.axes[n, 2]
            if self.tilts[n]:
                # The vector's whole length counts, not only its part along the axis, as in ODE.
                sine: cython.double = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3])
                along = copysign(sine, along)
            angles[n] = 2.0 * atan2(along, turn[0])

    @cython.cfunc
    @cython.inline
    def _unturn(
        self, turn: cython.double[4], by: cython.double[:, ::1], row: cython.longlong, column: cython.Py_ssize_t
    ) -> cython.void:
        """Multiply a quaternion from the left with the conjugate of another."""
        w: cython.double = turn[0]
        x: cython.double = turn[1]
        y: cython.double = turn[2]
        z: cython.double = turn[3]
        a: cython.double = by[row, column]
        b: cython.double = by[row, column + 1]
        c: cython.double = by[row, column + 2]
        d: cython.double = by[row, column + 3]
        turn[0] = a * w + b * x + c * y + d * z
        turn[1] = a * x - b * w - c * z + d * y
        turn[2] = a * y - c * w - d * x + b * z
        turn[3] = a * z - d * w - b * y + c * x
