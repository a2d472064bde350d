# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Contacts of bodies whose hinges have drifted: the loops of `physics.mujoco.hinge_compliance`, which explains them."""

import cython
import numpy as np


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ContactPointsKernel:
    """Moves contacts to where bodies are with closed hinges, and back. All arrays are shared with other code.

    Attributes:
        shift: (B, 3) shift of each body from its place with closed hinges, world frame, m.
        centres, rotations: (B, 3) and (B, 9) origins and orientations of the bodies.
        geom_bodies: (geoms,) body that each geom is shifted with.
        boxes: (geoms,) whether a geom is a box.
        ball: the ball's body, a negative number without a ball.
        radius: radius of the ball, m.
        points: room for the points of contacts, any number of rows at first.
    """

    shift: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    geom_bodies: cython.longlong[::1]
    boxes: cython.uchar[::1]
    ball: cython.longlong
    radius: cython.double
    points: cython.double[:, ::1]

    def close(
        self,
        geoms: cython.int[:, :],
        points: cython.double[:, :],
        depths: cython.double[:],
        frames: cython.double[:, :],
    ) -> None:
        """Put contacts where they are with closed hinges, so that each link is pushed at its touching point.

        A contact of two robots then has the right point for one of them only, which is enough: it is soft.

        Args:
            geoms: (C, 2) geoms that touch.
            points: (C, 3) places of the contacts, world frame, m; changed in place.
            depths: (C,) distances of the geoms, m, negative where they overlap.
            frames: (C, 9) normals and two tangents.
        """
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        if self.points.shape[0] < points.shape[0]:
            self.points = np.zeros((2 * points.shape[0], 3))
        for c in range(points.shape[0]):
            first: cython.longlong = self.geom_bodies[geoms[c, 0]]
            second: cython.longlong = self.geom_bodies[geoms[c, 1]]
            if (first if first < second else second) == self.ball:
                self._touch_ball(c, geoms, points, depths, frames)
            for n in range(3):
                self.points[c, n] = points[c, n]
                points[c, n] -= self.shift[first if first > second else second, n]

    @cython.cfunc
    def _touch_ball(
        self,
        c: cython.Py_ssize_t,
        geoms: cython.int[:, :],
        points: cython.double[:, :],
        depths: cython.double[:],
        frames: cython.double[:, :],
    ) -> cython.void:
        """Touch the ball where ODE does: a box on its surface, or in the ball's centre if that is inside the box.

        MuJoCo takes the middle of the penetration, as ODE does for round shapes.
        """
        n: cython.Py_ssize_t
        if not self.boxes[geoms[c, 1]]:
            return
        depth: cython.double = self.radius + depths[c]
        if depth < 0.0:
            depth = 0.0
        for n in range(3):
            points[c, n] = self.centres[self.ball, n] + depth * frames[c, n]

    def open(
        self,
        geoms: cython.int[:, :],
        points: cython.double[:, :],
        rows: cython.int[:],
        row_starts: cython.int[::1],
        jacobian: cython.double[::1],
    ) -> None:
        """Put contacts back to their real places, and let robots push the ball there, not at the point of their link.

        Args:
            geoms: (C, 2) geoms that touch.
            points: (C, 3) places of the contacts, changed in place.
            rows: (C,) first constraint row of each contact, negative for none.
            row_starts: (rows,) start of each row in the sparse Jacobian.
            jacobian: the numbers of the sparse Jacobian; the ball has the first six of its rows.
        """
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for c in range(points.shape[0]):
            for n in range(3):
                points[c, n] = self.points[c, n]
            first: cython.longlong = self.geom_bodies[geoms[c, 0]]
            second: cython.longlong = self.geom_bodies[geoms[c, 1]]
            if rows[c] >= 0 and (first if first < second else second) == self.ball:
                for n in range(3):
                    self._set_arm(c, row_starts[rows[c] + n], points, jacobian)

    @cython.cfunc
    def _set_arm(
        self,
        c: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        points: cython.double[:, :],
        jacobian: cython.double[::1],
    ) -> cython.void:
        n: cython.Py_ssize_t
        x: cython.double = points[c, 0] - self.centres[self.ball, 0]
        y: cython.double = points[c, 1] - self.centres[self.ball, 1]
        z: cython.double = points[c, 2] - self.centres[self.ball, 2]
        u: cython.double = y * jacobian[start + 2] - z * jacobian[start + 1]
        v: cython.double = z * jacobian[start] - x * jacobian[start + 2]
        w: cython.double = x * jacobian[start + 1] - y * jacobian[start]
        # The ball's spin is in its own axes.
        for n in range(3):
            jacobian[start + 3 + n] = (
                u * self.rotations[self.ball, n]
                + v * self.rotations[self.ball, 3 + n]
                + w * self.rotations[self.ball, 6 + n]
            )
