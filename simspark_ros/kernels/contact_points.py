# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Contacts of bodies whose hinges have drifted: the loops of `physics.mujoco.hinge_compliance`, which explains them."""

from typing import Any

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
        room: room for the points of contacts, any number of rows at first.
        geoms: (C, 2) geoms that touch, of up to C contacts.
        points: (C, 3) places of the contacts, world frame, m.
        depths: (C,) distances of the geoms, m, negative where they overlap.
        frames: (C, 9) normals and two tangents.
        rows: (C,) first constraint row of each contact, negative for none.
    """

    shift: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    geom_bodies: cython.longlong[::1]
    boxes: cython.uchar[::1]
    ball: cython.longlong
    radius: cython.double
    room: cython.double[:, ::1]
    geoms: cython.int[:, :]
    points: cython.double[:, :]
    depths: cython.double[:]
    frames: cython.double[:, :]
    rows: cython.int[:]

    def close(self, count: cython.Py_ssize_t) -> None:
        """Put that many contacts where they are with closed hinges, so that each link is pushed at its touching point.

        A contact of two robots then has the right point for one of them only, which is enough: it is soft.
        """
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        if self.room.shape[0] < count:
            self.room = np.zeros((2 * count, 3))
        for c in range(count):
            first: cython.longlong = self.geom_bodies[self.geoms[c, 0]]
            second: cython.longlong = self.geom_bodies[self.geoms[c, 1]]
            if (first if first < second else second) == self.ball:
                self._touch_ball(c)
            for n in range(3):
                self.room[c, n] = self.points[c, n]
                self.points[c, n] -= self.shift[first if first > second else second, n]

    @cython.cfunc
    def _touch_ball(self, c: cython.Py_ssize_t) -> cython.void:
        """Touch the ball where ODE does: a box on its surface, or in the ball's centre if that is inside the box.

        MuJoCo takes the middle of the penetration, as ODE does for round shapes.
        """
        n: cython.Py_ssize_t
        if not self.boxes[self.geoms[c, 1]]:
            return
        depth: cython.double = self.radius + self.depths[c]
        if depth < 0.0:
            depth = 0.0
        for n in range(3):
            self.points[c, n] = self.centres[self.ball, n] + depth * self.frames[c, n]

    def open(self, count: cython.Py_ssize_t, data: Any) -> None:
        """Put contacts back to their real places, and let robots push the ball there, not at the point of their link.

        data: MuJoCo's data, in whose sparse Jacobian the ball has the first six numbers of each of its rows.
        """
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for c in range(count):
            for n in range(3):
                self.points[c, n] = self.room[c, n]
            first: cython.longlong = self.geom_bodies[self.geoms[c, 0]]
            second: cython.longlong = self.geom_bodies[self.geoms[c, 1]]
            if self.rows[c] >= 0 and (first if first < second else second) == self.ball:
                # MuJoCo's bindings make an array at each look.
                starts: cython.int[::1] = data.efc_J_rowadr
                jacobian: cython.double[::1] = data.efc_J
                for n in range(3):
                    self._set_arm(c, starts[self.rows[c] + n], jacobian)

    @cython.cfunc
    def _set_arm(self, c: cython.Py_ssize_t, start: cython.Py_ssize_t, jacobian: cython.double[::1]) -> cython.void:
        n: cython.Py_ssize_t
        x: cython.double = self.points[c, 0] - self.centres[self.ball, 0]
        y: cython.double = self.points[c, 1] - self.centres[self.ball, 1]
        z: cython.double = self.points[c, 2] - self.centres[self.ball, 2]
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
