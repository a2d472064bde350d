# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ODE's rows for a ball near robots: `physics.bullet.ode_likeness.ball_contacts` says why Bullet needs them.

A row with Jacobian J wants the ball's velocity v to be J v = s, and gives way by c p / h, p being the impulse of a step
of length h: ODE's manual, "Soft constraint and Constraint Force Mixing (CFM)". With gravity, but without contacts, the
ball has the velocity u, so that

    (J M^-1 J^T + diag(c / h)) p = s - J u,    v = u + M^-1 J^T p.

Each contact has a row along its normal and two along its surface. The speed s is that of the surface; along the normal
the ball leaves it with the larger one of ERP (depth - layer) / h and, above a threshold, bounce times its approach.
Normals only push: rows that would pull are left out. Friction has no bound and needs no load.
"""

from collections.abc import Callable
from math import hypot
from typing import Any

import cython
from cython.cimports.libc.math import fabs

# Rows of a contact: its normal, and two directions along the surface.
_ROWS = cython.declare(cython.Py_ssize_t, 3)
# A normal is steep if its vertical part is larger.
_STEEP = cython.declare(cython.double, 0.7)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class BallRows:
    """A ball with room for C contacts, which have R = 3 C rows. Vectors are in the world frame.

    Attributes:
        step: length of a step, s.
        radius: radius of the ball, m.
        layer: depth of a contact that is left alone, m.
        erp, softness: share of the rest of the depth that is taken back in a step, and speed of giving way per force,
            m/s per N, of immovable bodies.
        link_erp, link_softness: the same of robots.
        slip: speed along a surface per force, m/s per N.
        bounce: speed of leaving by speed of approach.
        bounce_speed: speed of approach from which on the ball bounces, m/s.
        inverse: (6,) inverse mass of the ball, three times, and inverse inertia, 1/kg and 1/(kg m^2).
        fall: (6,) velocities that gravity gives in a step, m/s and rad/s.
        centre: (3,) room for the ball's place in Bullet before the step, m.
        motion: (6,) room for the ball's velocities without contacts, m/s and rad/s.
        jacobian: (R, 6) room for the rows.
        wanted, soft: (R,) room for s - J u, m/s, and c / h, m/s per N s.
        impulses: (R,) room for impulses, N s.
        acting: (R,) room for whether a row acts.
        chosen: (R,) room for the rows that act.
        system: (R, R + 1) room for the system of equations, with its right side.
    """

    step: cython.double
    radius: cython.double
    layer: cython.double
    erp: cython.double
    softness: cython.double
    link_erp: cython.double
    link_softness: cython.double
    slip: cython.double
    bounce: cython.double
    bounce_speed: cython.double
    inverse: cython.double[::1]
    fall: cython.double[::1]
    centre: cython.double[::1]
    motion: cython.double[::1]
    jacobian: cython.double[:, ::1]
    wanted: cython.double[::1]
    soft: cython.double[::1]
    impulses: cython.double[::1]
    acting: cython.uchar[::1]
    chosen: cython.longlong[::1]
    system: cython.double[:, ::1]

    def change(
        self,
        listed: tuple[Any, ...],
        ball: int,
        ground: int,
        offset: tuple[Any, ...],
        before: tuple[Any, ...],
        after: tuple[Any, ...],
        motions_of: Callable[[int, int], Any],
        pushes: list[Any],
    ) -> tuple[Any, ...]:
        """(6,) correction of the ball's velocities after a step, m/s and rad/s; empty if there is none.

        Args:
            listed: `pybullet.getContactPoints` of the ball, at most C - 1.
            ball: Bullet's number of the ball.
            ground: Bullet's number of its ground, whose contact is found here.
            offset: (3,) real place of the ball less its place in Bullet, m.
            before: (9,) real place, m, velocity, m/s, and angular velocity, rad/s, before the step.
            after: the same numbers after it.
            motions_of: motions of a robot's link by Bullet's numbers of body and link: (3,) its centre before the step,
                m, and (6,) velocities before and after the step, m/s and rad/s; None for a link of no robot.
            pushes: gets what links lacked in the step, if they were to be pushed more: body, link, (3,) force, N, and
                point, m.
        """
        count: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t
        contact: tuple[Any, ...]
        point: tuple[Any, ...]
        normal: tuple[Any, ...]
        links: list[Any] = []
        for n in range(3):
            self.centre[n] = before[n] - offset[n]
        for n in range(6):
            self.motion[n] = before[3 + n] + self.fall[n]
        for contact in listed:
            gap: cython.double = contact[8]
            force: cython.double = contact[9]
            # Bullet's normal is from the second body to the first.
            side: cython.Py_ssize_t = 1 if contact[2] == ball else 2
            sign: cython.double = -1.0 if side == 1 else 1.0
            if contact[side] == ground or (gap >= 0.0 and force <= 0.0):
                continue
            point = contact[4 + side]
            normal = contact[7]
            self._face(count, point[0], point[1], point[2], sign * normal[0], sign * normal[1], sign * normal[2])
            motions = motions_of(contact[side], contact[2 + side])
            if motions is None:
                self._stand(count, -gap)
            else:
                self._meet(count, -gap, point[0], point[1], point[2], motions[0], motions[1], motions[2])
                links.append((count, contact[side], contact[2 + side], point, force * self.step))
            count += 1
        sunk: cython.double = self.radius - before[2]
        if not links:
            return self._roll(after) if sunk > 0.0 else ()
        if sunk > 0.0:
            self._face(count, self.centre[0], self.centre[1], self.centre[2] - self.radius, 0.0, 0.0, 1.0)
            self._stand(count, sunk)
            count += 1
        self._settle(count)
        for contact in links:
            self._react(contact, pushes)
        return tuple([self._velocity(n, count) - after[3 + n] for n in range(6)])

    @cython.cfunc
    def _roll(self, after: tuple[Any, ...]) -> tuple[Any, ...]:
        """(6,) correction by the ground's friction when no robot touches the ball, m/s and rad/s."""
        linear: cython.double = self.inverse[0]
        angular: cython.double = self.inverse[3]
        r: cython.double = self.radius
        # The lowest point gains 1/m + r^2/I per impulse; the slip adds a speed per impulse.
        yielding: cython.double = linear + angular * (r * r) + self.slip / self.step
        # Against the sliding velocity of the lowest point.
        along: cython.double = -(after[3] - r * after[7]) / yielding
        across: cython.double = -(after[4] + r * after[6]) / yielding
        turning: cython.double = angular * r
        return linear * along, linear * across, 0.0, turning * across, -turning * along, 0.0

    @cython.cfunc
    def _face(
        self,
        contact: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        z: cython.double,
        u: cython.double,
        v: cython.double,
        w: cython.double,
    ) -> cython.void:
        """Write the Jacobian of a contact at x, y, z with the unit normal u, v, w towards the ball."""
        row: cython.Py_ssize_t = _ROWS * contact
        n: cython.Py_ssize_t
        x -= self.centre[0]
        y -= self.centre[1]
        z -= self.centre[2]
        # Across the normal and the vertical, or x if the normal is steep.
        a: cython.double = 0.0
        b: cython.double = w
        c: cython.double = -v
        if fabs(w) < _STEEP:
            a, b, c = v, -u, 0.0
        length: cython.double = hypot(a, b, c)
        a /= length
        b /= length
        c /= length
        self.jacobian[row, 0], self.jacobian[row, 1], self.jacobian[row, 2] = u, v, w
        self.jacobian[row + 1, 0], self.jacobian[row + 1, 1], self.jacobian[row + 1, 2] = a, b, c
        self.jacobian[row + 2, 0] = v * c - w * b
        self.jacobian[row + 2, 1] = w * a - u * c
        self.jacobian[row + 2, 2] = u * b - v * a
        for n in range(row, row + _ROWS):
            a, b, c = self.jacobian[n, 0], self.jacobian[n, 1], self.jacobian[n, 2]
            self.jacobian[n, 3] = y * c - z * b
            self.jacobian[n, 4] = z * a - x * c
            self.jacobian[n, 5] = x * b - y * a

    @cython.cfunc
    @cython.exceptval(check=False)
    def _stand(self, contact: cython.Py_ssize_t, depth: cython.double) -> cython.void:
        """Write what the rows of a contact with an immovable body want."""
        self._want(contact, depth, self.erp, self.softness, 0.0, 0.0, 0.0, 0.0)

    @cython.cfunc
    def _meet(
        self,
        contact: cython.Py_ssize_t,
        depth: cython.double,
        x: cython.double,
        y: cython.double,
        z: cython.double,
        centre: cython.double[:],
        before: cython.double[:],
        after: cython.double[:],
    ) -> cython.void:
        """Write what the rows of a contact with a link want, which has these motions: see `change`."""
        row: cython.Py_ssize_t = _ROWS * contact
        x -= centre[0]
        y -= centre[1]
        z -= centre[2]
        # Velocities v + w x arm of the link at the contact. Before the step only that along the normal matters.
        was: cython.double = self.jacobian[row, 0] * (before[0] + (before[4] * z - before[5] * y))
        was += self.jacobian[row, 1] * (before[1] + (before[5] * x - before[3] * z))
        was += self.jacobian[row, 2] * (before[2] + (before[3] * y - before[4] * x))
        u: cython.double = after[0] + (after[4] * z - after[5] * y)
        v: cython.double = after[1] + (after[5] * x - after[3] * z)
        w: cython.double = after[2] + (after[3] * y - after[4] * x)
        self._want(contact, depth, self.link_erp, self.link_softness, was, u, v, w)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _want(
        self,
        contact: cython.Py_ssize_t,
        depth: cython.double,
        erp: cython.double,
        softness: cython.double,
        was: cython.double,
        u: cython.double,
        v: cython.double,
        w: cython.double,
    ) -> cython.void:
        """Write what the rows of a contact want.

        was: speed of the surface along the normal before the step; u, v, w: its velocity after the step, m/s.
        """
        row: cython.Py_ssize_t = _ROWS * contact
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        arriving: cython.double = 0.0
        for n in range(row, row + _ROWS):
            own: cython.double = 0.0
            for k in range(6):
                own += self.jacobian[n, k] * self.motion[k]
            surface: cython.double = self.jacobian[n, 0] * u + self.jacobian[n, 1] * v + self.jacobian[n, 2] * w
            self.wanted[n] = surface - own
            self.soft[n] = self.slip / self.step
            self.acting[n] = depth > 0.0
        self.soft[row] = softness / self.step
        # As in ODE, the speed of arrival comes from the velocities before the step.
        for k in range(6):
            arriving += self.jacobian[row, k] * (self.motion[k] - self.fall[k])
        approach: cython.double = was - arriving
        bouncing: cython.double = self.bounce * approach if approach > self.bounce_speed else 0.0
        self.wanted[row] += max(erp * max(0.0, depth - self.layer) / self.step, bouncing)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _settle(self, count: cython.Py_ssize_t) -> cython.void:
        """Find the impulses with which the rows of so many contacts hold."""
        row: cython.Py_ssize_t
        pulls: cython.bint = True
        while pulls:
            size: cython.Py_ssize_t = 0
            for row in range(_ROWS * count):
                self.impulses[row] = 0.0
                if self.acting[row]:
                    self.chosen[size] = row
                    size += 1
            self._solve(size)
            pulls = False
            for row in range(0, _ROWS * count, _ROWS):
                if self.impulses[row] < 0.0:
                    self.acting[row] = 0
                    pulls = True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _solve(self, size: cython.Py_ssize_t) -> cython.void:
        """Find the impulses of the chosen rows by Gauss-Jordan elimination: the matrix is positive definite."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(size):
            for j in range(size):
                self.system[i, j] = self._answer(self.chosen[i], self.chosen[j])
            self.system[i, i] += self.soft[self.chosen[i]]
            self.system[i, size] = self.wanted[self.chosen[i]]
        for i in range(size):
            pivot: cython.double = self.system[i, i]
            for k in range(i, size + 1):
                self.system[i, k] /= pivot
            for j in range(size):
                if j != i:
                    share: cython.double = self.system[j, i]
                    for k in range(i, size + 1):
                        self.system[j, k] -= share * self.system[i, k]
        for i in range(size):
            self.impulses[self.chosen[i]] = self.system[i, size]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _answer(self, row: cython.longlong, other: cython.longlong) -> cython.double:
        """Speed along a row by an impulse along another one, m/s per N s."""
        k: cython.Py_ssize_t
        even: cython.double = 0.0
        odd: cython.double = 0.0
        # In two sums: so motions are the same to the bit as when NumPy multiplied.
        for k in range(0, 6, 2):
            even += self.jacobian[row, k] * self.inverse[k] * self.jacobian[other, k]
            odd += self.jacobian[row, k + 1] * self.inverse[k + 1] * self.jacobian[other, k + 1]
        return even + odd

    @cython.cfunc
    @cython.exceptval(check=False)
    def _velocity(self, n: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.double:
        """A component of the ball's velocities with the impulses of so many contacts."""
        row: cython.Py_ssize_t
        impulse: cython.double = 0.0
        for row in range(_ROWS * count):
            impulse += self.impulses[row] * self.jacobian[row, n]
        return self.motion[n] + self.inverse[n] * impulse

    @cython.cfunc
    def _react(self, link: tuple[Any, ...], pushes: list[Any]) -> cython.void:
        """Give a link the push that it lacked; a squeezed ball is harder in Bullet and has pushed enough already."""
        row: cython.Py_ssize_t = _ROWS * cython.cast(cython.Py_ssize_t, link[0])
        push: cython.double = link[4]
        n: cython.Py_ssize_t
        along: cython.double = 0.0
        force: list[float] = []
        for n in range(3):
            impulse: cython.double = self.impulses[row] * self.jacobian[row, n]
            impulse += self.impulses[row + 1] * self.jacobian[row + 1, n]
            impulse += self.impulses[row + 2] * self.jacobian[row + 2, n]
            along += impulse * self.jacobian[row, n]
            force.append((push * self.jacobian[row, n] - impulse) / self.step)
        if along > push:
            pushes.append((link[1], link[2], force, link[3]))
