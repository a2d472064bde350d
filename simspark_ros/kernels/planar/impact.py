# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The law of impacts: equations 1 to 5 of the F2000 simulator's paper, and its friction between sticking and sliding.

Kleiner and Buchheim, "A Plugin-Based Architecture for Simulation in the F2000 League", 2003, section 2.1. An impulse at
the point of contact that acts on both bodies, in opposite directions, keeps linear and angular momentum (equations 1 to
4). Its part along the normal turns the speed of approach by the restitution (equation 5). The paper places its sixth
equation between "no friction", an impulse along the normal alone, and "stickiness", an impulse that also ends the
sliding. Here it is the mean of these two impulses, weighted with the stickiness; as both satisfy equations 1 to 5, so
does their mean.
"""

import cython
from cython.cimports.libc.math import fabs

from simspark_ros.kernels.planar.body import PlanarBody
from simspark_ros.kernels.planar.meeting import Meeting

# Most rounds over contacts that act on one another.
_SWEEPS = cython.declare(cython.int, 100)
# Change of velocity in a round below which contacts agree, m/s.
_SETTLED = cython.declare(cython.double, 1e-12)


class PlanarContact:
    """A point at which two bodies touch.

    Args:
        meeting: the meeting of the parts that touch.
        x, y: place of the contact, world frame, m.
        law: the law of the impact, an `ImpactLaw`.

    Attributes:
        meeting, x, y: the same; the normal of the meeting is that of the contact.
        normal, along: total impulse on b so far, along the normal and to its left, N s.
        goal: speed along the normal after the impact, m/s.
        nn, nt, tt: an impulse (normal, along) changes the relative velocity by [[nn, nt], [nt, tt]] times it, 1/kg.
        slide: impulse along the normal if the parts slide, N s.
    """

    def __init__(self, meeting: Meeting, x, y, law) -> None:
        body: PlanarBody
        self.meeting, self.x, self.y = meeting, x, y
        self.stickiness = law.stickiness
        self.normal = self.along = self.nn = self.nt = self.tt = 0.0
        nx: cython.double = meeting.x
        ny: cython.double = meeting.y
        for body in (meeting.a, meeting.b):
            if not body.is_fixed:
                dx: cython.double = self.x - body.x
                dy: cython.double = self.y - body.y
                along: cython.double = dx * ny - dy * nx
                across: cython.double = dx * nx + dy * ny
                self.nn += 1.0 / body.mass + along * along / body.inertia
                self.tt += 1.0 / body.mass + across * across / body.inertia
                self.nt += along * across / body.inertia
        speed, _ = meeting.speeds_at(self.x, self.y)
        rebounds: cython.bint = -speed > law.bounce_speed
        self.goal = -law.restitution * speed if rebounds else max(speed, 0.0)

    def improve(self, sticks):
        """Give the impulse that leads to the goal and ends the sliding if `sticks`; returns the largest change, m/s."""
        speed, slip = self.meeting.speeds_at(self.x, self.y)
        lack: cython.double = self.goal - speed
        jn: cython.double = lack / self.nn
        jt: cython.double = 0.0
        if sticks:
            # Cramer's rule for the impulse that changes the velocity by (lack, -slip).
            determinant: cython.double = self.nn * self.tt - self.nt * self.nt
            jn = (self.tt * lack + self.nt * slip) / determinant
            jt = (-self.nn * slip - self.nt * lack) / determinant
        if self.normal + jn <= 0.0:
            # The contact only pushes, so it lets go: its impulse so far is taken back.
            jn, jt = -self.normal, -self.along
        self.give(jn, jt)
        return (fabs(jn) + fabs(jt)) * max(self.nn, self.tt)

    def give(self, normal, along):
        """Push the bodies apart along the normal, and past each other, N s."""
        self.normal += normal
        self.along += along
        x: cython.double = normal * self.meeting.x - along * self.meeting.y
        y: cython.double = normal * self.meeting.y + along * self.meeting.x
        self.meeting.a.push(self.x, self.y, -x, -y)
        self.meeting.b.push(self.x, self.y, x, y)

    def keep(self):
        """Note the velocities of the bodies."""
        for body in (self.meeting.a, self.meeting.b):
            body.old_vx, body.old_vy, body.old_spin = body.vx, body.vy, body.spin

    def restore(self):
        """Give the bodies these velocities again."""
        for body in (self.meeting.a, self.meeting.b):
            body.vx, body.vy, body.spin = body.old_vx, body.old_vy, body.old_spin


def solve(contacts):
    """Let bodies that touch at once push each other until none comes closer; contact after contact, in their order."""
    for contact in contacts:
        contact.keep()
    _press(contacts, False)
    sticky: cython.bint = False
    for contact in contacts:
        contact.slide = contact.normal
        contact.restore()
        sticky = sticky or contact.stickiness > 0.0
    if sticky:
        for contact in contacts:
            contact.normal = 0.0
        _press(contacts, True)
    for contact in contacts:
        contact.restore()
    for contact in contacts:
        normal: cython.double = (1.0 - contact.stickiness) * contact.slide + contact.stickiness * contact.normal
        along: cython.double = contact.stickiness * contact.along
        contact.normal = contact.along = 0.0
        contact.give(normal, along)


def _press(contacts, sticks):
    """Find the impulses if all contacts slid, or if all stuck."""
    for _sweep in range(_SWEEPS):
        change: cython.double = 0.0
        for contact in contacts:
            change = max(change, contact.improve(sticks))
        if change < _SETTLED:
            break
