"""The law of impacts: equations 1 to 5 of the F2000 simulator's paper, and its friction between sticking and sliding.

Kleiner and Buchheim, "A Plugin-Based Architecture for Simulation in the F2000 League", 2003, section 2.1. An impulse at
the point of contact that acts on both bodies, in opposite directions, keeps linear and angular momentum (equations 1 to
4). Its part along the normal turns the speed of approach by the restitution (equation 5). The paper places its sixth
equation between "no friction", an impulse along the normal alone, and "stickiness", an impulse that also ends the
sliding. Here it is the mean of these two impulses, weighted with the stickiness; as both satisfy equations 1 to 5, so
does their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simspark_ros.physics.planar.body import PlanarBody, PlanarPart
from simspark_ros.physics.planar.outline import Point

_SWEEPS = 100
"""Most rounds over contacts that act on one another."""

_SETTLED = 1e-12
"""Change of velocity in a round below which contacts agree, m/s."""


@dataclass(frozen=True)
class ImpactLaw:
    """Law of the impacts of two surfaces.

    Attributes:
        restitution: speed after an impact over the speed before, 0 to 1.
        stickiness: 0 slides without friction, 1 ends the sliding.
        bounce_speed: speed below which impacts do not rebound, m/s.
    """

    restitution: float
    stickiness: float
    bounce_speed: float = 0.0


class PlanarContact:
    """A point at which two bodies touch.

    Attributes:
        a, b: the bodies.
        part_a, part_b: the parts of the bodies that touch.
        point: place of the contact, world frame, m.
        normal: unit vector from a to b.
        impulse: total impulse on b so far, along the normal and to its left, N s.
    """

    def __init__(
        self, a: PlanarBody, part_a: PlanarPart, b: PlanarBody, part_b: PlanarPart, point: Point, normal: Point
    ) -> None:
        self.a, self.part_a, self.b, self.part_b = a, part_a, b, part_b
        self.point, self.normal = point, normal
        self.impulse = (0.0, 0.0)
        self._goal = 0.0
        nx, ny = normal
        # An impulse (along the normal, to its left) changes the relative velocity by [[nn, nt], [nt, tt]] times it.
        self._nn = self._tt = self._nt = 0.0
        for body in (a, b):
            if body.is_fixed:
                continue
            x, y = point[0] - body.x, point[1] - body.y
            along, across = x * ny - y * nx, x * nx + y * ny
            self._nn += 1.0 / body.mass + along * along / body.inertia
            self._tt += 1.0 / body.mass + across * across / body.inertia
            self._nt += along * across / body.inertia

    @property
    def speeds(self) -> Point:
        """Velocity of b relative to a at the point, along the normal and to its left, m/s."""
        ax, ay = self.a.velocity_at(self.part_a, self.point)
        bx, by = self.b.velocity_at(self.part_b, self.point)
        x, y, (nx, ny) = bx - ax, by - ay, self.normal
        return x * nx + y * ny, y * nx - x * ny

    def aim(self, law: ImpactLaw) -> None:
        """Set the speed along the normal after the impact, from the present speed."""
        normal, _ = self.speeds
        self._goal = -law.restitution * normal if -normal > law.bounce_speed else max(normal, 0.0)

    def improve(self, sticks: bool) -> float:
        """Give the impulse that leads to the goal and ends the sliding if `sticks`; returns the largest change, m/s."""
        normal, along = self.speeds
        lack = self._goal - normal
        if sticks:
            # Cramer's rule for the impulse that changes the velocity by (lack, -along).
            determinant = self._nn * self._tt - self._nt * self._nt
            jn, jt = (
                (self._tt * lack + self._nt * along) / determinant,
                (-self._nn * along - self._nt * lack) / determinant,
            )
        else:
            jn, jt = lack / self._nn, 0.0
        if self.impulse[0] + jn <= 0.0:
            # The contact only pushes, so it lets go: its impulse so far is taken back.
            jn, jt = -self.impulse[0], -self.impulse[1]
        self.give(jn, jt)
        return (abs(jn) + abs(jt)) * max(self._nn, self._tt)

    def give(self, normal: float, along: float) -> None:
        """Push the bodies apart along the normal, and past each other, N s."""
        self.impulse = (self.impulse[0] + normal, self.impulse[1] + along)
        nx, ny = self.normal
        x, y = normal * nx - along * ny, normal * ny + along * nx
        self.a.push(self.point, -x, -y)
        self.b.push(self.point, x, y)


def solve(contacts: Sequence[PlanarContact], laws: Sequence[ImpactLaw]) -> None:
    """Let bodies that touch at once push each other until none comes closer; pair after pair, in the order given."""
    for contact, law in zip(contacts, laws, strict=True):
        contact.aim(law)
    sliding = _impulses(contacts, sticks=False)
    sticking = _impulses(contacts, sticks=True) if any(law.stickiness for law in laws) else sliding
    for contact, law, slide, stick in zip(contacts, laws, sliding, sticking, strict=True):
        part = law.stickiness
        contact.give((1.0 - part) * slide[0] + part * stick[0], part * stick[1])


def _impulses(contacts: Sequence[PlanarContact], sticks: bool) -> list[Point]:
    """The impulses if all contacts slid, or if all stuck; bodies keep their velocities."""
    bodies = [body for contact in contacts for body in (contact.a, contact.b)]
    before = [(body.vx, body.vy, body.spin) for body in bodies]
    for _ in range(_SWEEPS):
        if max([contact.improve(sticks) for contact in contacts], default=0.0) < _SETTLED:
            break
    found = [contact.impulse for contact in contacts]
    for contact in contacts:
        contact.impulse = (0.0, 0.0)
    for body, (vx, vy, spin) in zip(bodies, before, strict=True):
        body.vx, body.vy, body.spin = vx, vy, spin
    return found
