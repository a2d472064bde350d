"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
import pybullet

from simspark_ros.kernels.touches import TouchSums
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.ground_grip import GroundGrip, HeldCorner
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.rows import TouchArrays, touch_arrays

# Row number that stands for the ball.
_BALL = -1
# A contact so near to a corner along each axis is the corner's, m.
_NEAR = 0.01

# Bodies A and B, link of A, link of B.
_LinkPair = tuple[int, int, int, int]
# Meaning of a contact of two links: the rows, or the ball, that meet; the touch links, each with the force's sign.
_Meaning = tuple[tuple[int, int] | None, tuple[tuple[int, float], ...]]


class TouchReader:
    """Reads contact points and forces for a fixed list of robots; make a new one when the list changes.

    Attributes:
        summary: contacts of robots with the ball and with each other since the summary was cleared.
    """

    def __init__(
        self, client: int, robots: list[BulletRobot], links: LinkStates, grip: GroundGrip, ball: int | None
    ) -> None:
        self._client = client
        self._links = links
        self._grip = grip
        self.summary = ContactSummary()
        self._rows = {robot.body: row for row, robot in enumerate(robots)}
        if robots and ball is not None:
            self._rows[ball] = _BALL
        # Learned as links meet.
        self._meanings: dict[_LinkPair, _Meaning] = {}
        self._index = {
            touch: number
            for number, touch in enumerate((robot.body, link) for robot in robots for link in robot.touch_links)
        }
        self._sums = TouchSums(np.zeros((len(self._index), 7)))
        self._places: IntArray = np.array([links.place(*touch) for touch in self._index], np.int64)

    def read(self) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the last step, see EngineState.

        Bullet's contact points are from before the step. So are the links, but for `ground_grip`: ODE tells such points
        as links see them after the step.
        """
        links, grip = self._links, self._grip
        held = [grip.held.get(place, []) for place in self._places.tolist()] if grip.is_needed else []
        centres = links.centres + links.shifts - grip.shifts if grip.is_needed else links.centres
        self._sum_contacts(held)
        for touch, corners in enumerate(held):
            for place, force in corners:
                self._sums.add(touch, hypot(*force), *place, *force)
        return touch_arrays(self._sums, self._places, centres, links.rotations)

    def look(self) -> None:
        """Record the contacts of a Bullet step that is not the last one of `step`."""
        if len(self._rows) > 1:
            self._sum_contacts([])

    def _sum_contacts(self, held: list[list[HeldCorner]]) -> None:
        """Sum contacts up; contacts at held corners are added to the corners' forces instead."""
        meanings, sums = self._meanings, self._sums
        sums.clear()
        if not self._rows:
            return
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            _, _, _, _, _, point, _, normal, gap, force, force_u, axis_u, force_v, axis_v = contact
            # Bullet also lists bodies that are only near, and bodies that touch and move apart.
            if force <= 0.0 and gap > 0.0:
                continue
            pair = contact[1:5]
            pair_met, touched = meanings.get(pair) or self._learn(pair)
            if pair_met is not None:
                self._add_contact(*pair_met, point)
            if force <= 0.0 or not touched:
                continue
            (px, py, pz), (nx, ny, nz), (ux, uy, uz), (vx, vy, vz) = point, normal, axis_u, axis_v
            x = force * nx + force_u * ux + force_v * vx
            y = force * ny + force_u * uy + force_v * vy
            z = force * nz + force_u * uz + force_v * vz
            weight = sqrt(x * x + y * y + z * z)
            for link, sign in touched:
                for (u, v, w), own in held[link] if held else ():
                    if -_NEAR < u - px < _NEAR and -_NEAR < v - py < _NEAR and -_NEAR < w - pz < _NEAR:
                        own[:] = own[0] + sign * x, own[1] + sign * y, own[2] + sign * z
                        break
                else:
                    sums.add(link, weight, px, py, pz, sign * x, sign * y, sign * z)

    def _learn(self, pair: _LinkPair) -> _Meaning:
        """Find the meaning of a contact of these links."""
        body_a, body_b, link_a, link_b = pair
        one, other = self._rows.get(body_a), self._rows.get(body_b)
        pair_met = None if one is None or other is None else (one, other)
        # Bullet reports the forces on body A; a contact of two touch links counts for both.
        ends = ((body_a, link_a, 1.0), (body_b, link_b, -1.0))
        touched = tuple((self._index[body, link], sign) for body, link, sign in ends if (body, link) in self._index)
        self._meanings[pair] = pair_met, touched
        return pair_met, touched

    def _add_contact(self, one: int, other: int, point: tuple[float, ...]) -> None:
        if one == _BALL or other == _BALL:
            self.summary.add_ball(max(one, other))
        elif one != other:
            self.summary.add_robots(one, other, point)
