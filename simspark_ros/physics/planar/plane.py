"""Motion and impacts of bodies in the plane: from one impact to the next, each found by bisection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.kernels.near_bodies import near_bodies
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.planar.body import PlanarBody, PlanarPart
from simspark_ros.physics.planar.gap import Gap, gap_between, touching_points
from simspark_ros.physics.planar.impact import ImpactLaw, PlanarContact, solve

Law = Callable[[PlanarPart, PlanarPart], ImpactLaw]

_TOUCH = 1e-6
"""Greatest distance at which bodies touch, m."""

_SLACK = 1e-5
"""Depth that touching bodies may gain before their contact counts again, m."""

_GRAZE = 1e-3
"""Length of the steps that follow the motion of near bodies, m; shorter overlaps may be missed."""


_RESTING = 1e-9
"""Speed below which an approach counts as a rounding error, m/s."""


@dataclass(frozen=True)
class Meeting:
    """Two parts of two bodies that may meet."""

    a: PlanarBody
    part_a: PlanarPart
    b: PlanarBody
    part_b: PlanarPart

    def gap(self, seconds: float) -> Gap:
        """The gap between the parts after a while."""
        return gap_between(self.a.place(self.part_a, seconds), self.b.place(self.part_b, seconds))

    def fastest(self, seconds: float) -> float:
        """Upper bound of the speed of any point of one part, as seen from the other, in a while, m/s.

        Seen from a, which turns, b moves with its velocity less the velocity of a's plane at b's middle, and turns by
        the difference of the spins; b's middle moves on meanwhile. Bodies that touch and move as one are slow.
        """
        a, b = self.a, self.b
        joints = sum(
            math.hypot(*part.velocity) + abs(part.spin) * 2.0 * body.reach
            for body, part in ((a, self.part_a), (b, self.part_b))
        )
        x, y, vx, vy = b.x - a.x, b.y - a.y, b.vx - a.vx, b.vy - a.vy
        apart, turn = math.hypot(vx, vy), abs(b.spin - a.spin)
        seen = (
            math.hypot(vx + spin * y, vy - spin * x) + turn * reach + abs(spin) * apart * seconds
            for spin, reach in ((a.spin, b.reach), (b.spin, a.reach))
        )
        return min(*seen, apart + abs(a.spin) * a.reach + abs(b.spin) * b.reach) + joints


class PlanarScene:
    """Bodies that move and collide.

    Attributes:
        bodies: bodies that move; the order decides impacts at the same time.
        fixed: bodies that do not move.
        passing: pairs of bodies that pass through each other.
        contacts: contacts of the last step, with their impulses.
    """

    def __init__(self, law: Law, resolution: float, max_impacts: int) -> None:
        self._law, self._resolution, self._max_impacts = law, resolution, max_impacts
        self.bodies: list[PlanarBody] = []
        self.fixed: list[PlanarBody] = []
        self._boxes: Array = np.zeros((0, 4))
        self.passing: set[tuple[PlanarBody, PlanarBody]] = set()
        self.contacts: list[PlanarContact] = []

    def fix(self, body: PlanarBody) -> None:
        """Add a body that does not move."""
        self.fixed.append(body)
        self._boxes = np.vstack((self._boxes, body.box))

    def step(self, seconds: float) -> None:
        """Advance; after the greatest number of impacts the rest of the step goes on without any."""
        self.contacts = []
        left = seconds
        times: dict[Meeting, float] = {}
        changed = set(self.bodies)
        for _ in range(self._max_impacts):
            # Impacts of pairs that were not pushed happen when they were going to.
            times = {m: t for m, t in times.items() if m.a not in changed and m.b not in changed}
            for meeting in self._near(changed, left):
                when = self._time_of_impact(meeting, left)
                if when is not None:
                    times[meeting] = when
            first = min(times.values(), default=math.inf)
            if first > left:
                break
            self._advance(first)
            left -= first
            times = {m: t - first for m, t in times.items()}
            touching = [m for m in times if m.gap(0.0).distance <= _TOUCH or times[m] <= 0.0]
            changed = self._collide(touching)
        self._advance(left)

    def overlaps(self) -> Iterator[tuple[Meeting, Gap]]:
        """Parts that overlap now."""
        for meeting in self._near(set(self.bodies), 0.0, with_passing=True):
            gap = meeting.gap(0.0)
            if gap.distance < 0.0:
                yield meeting, gap

    def _advance(self, seconds: float) -> None:
        for body in self.bodies:
            body.advance(seconds)

    def _near(self, changed: set[PlanarBody], seconds: float, with_passing: bool = False) -> Iterator[Meeting]:
        """Parts near enough to meet in a while, for pairs of bodies with at least one in `changed`."""
        bodies = self.bodies
        motion = np.array([(b.x, b.y, b.vx, b.vy, b.reach, b.swing) for b in bodies]).reshape(-1, 6)
        all_bodies = bodies + self.fixed
        flags = bytes([body in changed for body in bodies])
        for i, k in near_bodies(motion, flags, self._boxes, seconds, _GRAZE):
            a, b = all_bodies[i], all_bodies[k]
            # Nothing moves two immovable bodies, whose joints follow their commands whatever is in the way.
            if (with_passing or (a, b) not in self.passing) and not (a.is_fixed and b.is_fixed):
                turn = abs(a.spin) * a.reach + abs(b.spin) * b.reach
                yield from _near_parts(a, b, _way(a, b, seconds) + turn * seconds)

    def _time_of_impact(self, meeting: Meeting, left: float) -> float | None:
        """Time until the parts first overlap, early by less than the resolution, s; None if not in the time left."""
        distance = meeting.gap(0.0).distance
        least = 0.0 if distance > _TOUCH else min(distance, 0.0) - _SLACK
        fastest = meeting.fastest(left)
        if distance <= _TOUCH and any(contact.speeds[0] < -_RESTING for contact in _contacts(meeting)):
            return 0.0
        if fastest * left <= distance - least:
            return None
        before = 0.0
        while before < left:
            # Parts cannot meet before their fastest points have covered the distance. A little more keeps the steps
            # from shrinking for ever as the parts come near.
            now = min(left, before + (max(distance - least, 0.0) + _GRAZE) / fastest)
            distance = meeting.gap(now).distance
            if distance < least:
                return self._bisect(meeting, before, now, least)
            before = now
        return None

    def _bisect(self, meeting: Meeting, apart: float, overlapping: float, least: float) -> float:
        while overlapping - apart > self._resolution:
            middle = (apart + overlapping) / 2.0
            if meeting.gap(middle).distance < least:
                overlapping = middle
            else:
                apart = middle
        return apart

    def _collide(self, touching: Sequence[Meeting]) -> set[PlanarBody]:
        """Exchange impulses; returns the bodies that were pushed."""
        contacts, laws = [], []
        for meeting in touching:
            for contact in _contacts(meeting):
                contacts.append(contact)
                laws.append(self._law(meeting.part_a, meeting.part_b))
        solve(contacts, laws)
        self.contacts += contacts
        return {body for meeting in touching for body in (meeting.a, meeting.b) if not body.is_fixed}


def _way(a: PlanarBody, b: PlanarBody, seconds: float) -> float:
    """Upper bound of the approach of the circles around two bodies in a while, motion of joints included, m."""
    return (math.hypot(a.vx - b.vx, a.vy - b.vy) + a.swing + b.swing) * seconds + _GRAZE


def _near_parts(a: PlanarBody, b: PlanarBody, way: float) -> Iterator[Meeting]:
    """Pairs of parts that meet if they come nearer by a way, m."""
    others = list(_parts_near(b, a, way))
    for own, x, y in _parts_near(a, b, way):
        for other, ox, oy in others:
            near = math.hypot(x - ox, y - oy) <= own.outline.reach + other.outline.reach + way
            if (
                near
                and own.outline.meets_heights_of(other.outline)
                and not (_hidden(own, other) or _hidden(other, own))
            ):
                yield Meeting(a, own, b, other)


def _hidden(part: PlanarPart, other: PlanarPart) -> bool:
    """Whether another part meets a part around this one first."""
    return any(outer.outline.meets_heights_of(other.outline) for outer in part.around)


def _parts_near(body: PlanarBody, other: PlanarBody, way: float) -> Iterator[tuple[PlanarPart, float, float]]:
    """Parts of a body near the circle around another, or near its box if it is immovable, and their middles, m."""
    left, bottom, right, top = other.box
    for part in body.parts:
        x, y = _middle(body, part)
        reach = part.outline.reach + way
        if other.is_fixed:
            near = max(left - x, x - right, bottom - y, y - top) <= reach
        else:
            near = math.hypot(x - other.x, y - other.y) <= reach + other.reach
        if near:
            yield part, x, y


def _middle(body: PlanarBody, part: PlanarPart) -> tuple[float, float]:
    x, y = part.outline.middle
    c, s = math.cos(body.angle), math.sin(body.angle)
    return body.x + c * x - s * y, body.y + s * x + c * y


def _contacts(meeting: Meeting) -> list[PlanarContact]:
    a, b = meeting.a, meeting.b
    one, other = a.place(meeting.part_a, 0.0), b.place(meeting.part_b, 0.0)
    gap = gap_between(one, other)
    points = touching_points(one, other, gap)
    return [PlanarContact(a, meeting.part_a, b, meeting.part_b, point, (gap.x, gap.y)) for point in points]
