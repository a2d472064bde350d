# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Motion and impacts of bodies in the plane: from one impact to the next."""

import math

import cython
from cython.cimports.libc.math import cos, fabs, sin, sqrt

from simspark_ros.kernels.planar.impact import PlanarContact, solve
from simspark_ros.kernels.planar.meeting import GRAZE, Meeting

_GRAZE = cython.declare(cython.double, GRAZE)


class Plane:
    """Bodies that move and collide.

    Args:
        law: function of two parts, which gives the `ImpactLaw` of their surfaces.
        resolution: time by which impacts are found too early, at most, s.
        max_impacts: greatest number of impacts in a step.

    Attributes:
        bodies: bodies that move; the order decides impacts at the same time.
        fixed: bodies that do not move.
        passing: pairs of bodies that pass through each other.
        contacts: contacts of the last step, with their impulses.
        meetings: meetings with an impact in the rest of the step.
    """

    def __init__(self, law, resolution, max_impacts) -> None:
        self.law, self.resolution, self.max_impacts = law, resolution, max_impacts
        self.bodies, self.fixed, self.passing, self.contacts, self.meetings = [], [], set(), [], []

    def step(self, seconds):
        """Advance; after the greatest number of impacts the rest of the step goes on without any."""
        self.contacts, self.meetings = [], []
        for body in self.bodies:
            body.is_pushed = True
            body.old_x, body.old_y, body.old_angle = body.x, body.y, body.angle
        for _number in range(self.max_impacts):
            first: cython.double = self._find_impacts(seconds)
            if first > seconds:
                break
            self._advance(first)
            seconds -= first
            self._collide()
        self._advance(seconds)

    def _find_impacts(self, left):
        """Find the impacts of bodies that were pushed in the time left; returns the time until the first of all, s."""
        first: cython.double = math.inf
        # Impacts of bodies that were not pushed happen when they were going to.
        meetings = []
        for meeting in self.meetings:
            if not (meeting.a.is_pushed or meeting.b.is_pushed):
                meetings.append(meeting)
        for meeting in self._near(left, False):
            if meeting.find_impact(left, self.resolution):
                meetings.append(meeting)
        for meeting in meetings:
            first = min(first, meeting.time)
        for body in self.bodies:
            body.is_pushed = False
        self.meetings = meetings
        return first

    def _advance(self, seconds):
        for body in self.bodies:
            body.advance(seconds)
        for meeting in self.meetings:
            meeting.time -= seconds

    def _collide(self):
        """Exchange impulses where parts touch."""
        contacts = []
        for meeting in self.meetings:
            if meeting.time <= 0.0 or meeting.touches():
                law = self.law(meeting.part_a, meeting.part_b)
                contacts += [PlanarContact(meeting, x, y, law) for x, y in meeting.points()]
                meeting.a.is_pushed = not meeting.a.is_fixed
                meeting.b.is_pushed = not meeting.b.is_fixed
        solve(contacts)
        self.contacts += contacts

    def overlaps(self):
        """Meetings of parts that overlap now, of bodies that pass through each other, too."""
        for body in self.bodies:
            body.is_pushed = True
        found = []
        for meeting in self._near(0.0, True):
            if meeting.look(0.0) < 0.0:
                found.append(meeting)
        return found

    def let_pass(self, depth):
        """Let bodies deeper in each other than this, m, pass until they are apart; returns all overlaps."""
        overlaps = self.overlaps()
        old, self.passing = self.passing, set()
        for meeting in overlaps:
            if meeting.distance < -depth or (meeting.a, meeting.b) in old:
                self.passing.add((meeting.a, meeting.b))
        return overlaps

    def part(self, depth):
        """Push apart bodies that joints have moved a little into each other; see `let_pass` for deeper ones."""
        for meeting in self.let_pass(depth):
            a, b = meeting.a, meeting.b
            if (a, b) not in self.passing:
                # The lighter body gives way more: the common centre of mass stays.
                share: cython.double = 1.0 if b.is_fixed else b.mass / (a.mass + b.mass)
                a.x += share * meeting.distance * meeting.x
                a.y += share * meeting.distance * meeting.y
                if not b.is_fixed:
                    b.x -= (1.0 - share) * meeting.distance * meeting.x
                    b.y -= (1.0 - share) * meeting.distance * meeting.y

    def put_back(self, farthest):
        """Put bodies that have left the world back to their place before the step, at rest; returns their numbers.

        farthest: greatest |x| + |y| in the world, m.
        """
        found = []
        for body in self.bodies:
            # Not "greater than", so that NaN counts as far away.
            if not fabs(body.x) + fabs(body.y) < farthest:
                body.x, body.y, body.angle = body.old_x, body.old_y, body.old_angle
                body.vx = body.vy = body.spin = 0.0
                found.append(self.bodies.index(body))
        return found

    def read(self, positions, turns, linear, angular):
        """Write the motion of the first N bodies, which are robots; numbers out of the plane stay.

        positions: (N, 3) places of the base links' centres of mass, m; turns: (N, 9) rotations of the bodies at heading
        zero, which are turned to their headings; linear, angular: (N, 3) velocities of the base links, m/s and rad/s.
        """
        for i in range(positions.shape[0]):
            body = self.bodies[i]
            # The base link is beside the centre of mass, about which the body turns. A sum has no negative zeros.
            positions[i, 0], positions[i, 1] = body.base()
            linear[i, 0] = body.vx - body.spin * (positions[i, 1] - body.y) + 0.0
            linear[i, 1] = body.vy + body.spin * (positions[i, 0] - body.x) + 0.0
            angular[i, 2] = body.spin + 0.0
            c, s = 1.0 - (1.0 - cos(body.angle)), sin(body.angle)
            for k in range(3):
                x, y = turns[i, k], turns[i, 3 + k]
                turns[i, k], turns[i, 3 + k] = c * x - s * y, s * x + c * y

    def _near(self, seconds, with_passing):
        """Find parts that may meet in a while, for pairs of bodies of which one was pushed, at least."""
        found, passing = [], set() if with_passing else self.passing
        for i in range(len(self.bodies)):
            a = self.bodies[i]
            for k in range(i + 1, len(self.bodies)):
                b = self.bodies[k]
                if a.is_pushed or b.is_pushed:
                    _add_near_parts(found, passing, a, b, seconds)
            for b in self.fixed if a.is_pushed else []:
                _add_near_parts(found, passing, a, b, seconds)
        return found


def _add_near_parts(found, passing, a, b, seconds):
    """Add the meetings of parts of two bodies that may meet in a while, unless the bodies pass through each other."""
    # Turns leave the circles around bodies as they are.
    vx: cython.double = b.vx - a.vx
    vy: cython.double = b.vy - a.vy
    way: cython.double = (sqrt(vx * vx + vy * vy) + a.swing + b.swing) * seconds + _GRAZE
    # Nothing moves two immovable bodies, whose joints follow their commands whatever is in the way.
    if b.distance_of(a.x, a.y) > a.reach + way or (a.is_fixed and b.is_fixed) or (a, b) in passing:
        return
    way += (fabs(a.spin) * a.reach + fabs(b.spin) * b.reach) * seconds
    others = b.parts_near(a, way)
    for own in a.parts_near(b, way):
        for other in others:
            x: cython.double = own.world_x - other.world_x
            y: cython.double = own.world_y - other.world_y
            if (
                sqrt(x * x + y * y) <= own.reach + other.reach + way
                and own.meets_heights_of(other)
                and not (own.is_hidden_from(other) or other.is_hidden_from(own))
            ):
                found.append(Meeting(a, own, b, other))
