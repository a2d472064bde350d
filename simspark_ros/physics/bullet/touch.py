"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

from math import hypot, sqrt
from operator import add

import numpy as np
import pybullet

from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.ground_grip import GroundGrip
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.rows import TouchArrays

# Row number that stands for the ball.
_BALL = -1

# Bodies A and B, link of A, link of B.
_LinkPair = tuple[int, int, int, int]
# Meaning of a contact of two links: the rows, or the ball, that meet; the touch links, each with the force's sign.
_Meaning = tuple[tuple[int, int] | None, tuple[tuple[int, float], ...]]
# Sum of weights, of weighted points (3) and of forces (3).
_Sums = tuple[float, float, float, float, float, float, float]
_NOTHING: _Sums = (0.0,) * 7


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
        self._places: IntArray = np.array([links.place(*touch) for touch in self._index], np.int64)

    def nothing(self) -> TouchArrays:
        """The arrays of links that touch nothing."""
        count = len(self._index)
        return np.zeros(count, np.bool_), np.zeros((count, 3)), np.zeros((count, 3))

    def read(self) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the last step, see EngineState.

        Bullet's contact points are from before the step, so the states of the links have to be from before it, too.
        """
        if not self._rows:
            return self.nothing()
        sums = self._sum_contacts()
        if self._grip.is_needed:
            self._add_grip(sums)
        touching = np.array([total is not None for total in sums], np.bool_)
        if not touching.any():
            return self.nothing()
        totals = np.array([total or _NOTHING for total in sums])
        weights = np.where(touching, totals[:, 0], 1.0)[:, None]
        both: Array = totals[:, 1:].reshape(-1, 2, 3)
        both[:, 0] = both[:, 0] / weights - self._links.centres.take(self._places, 0)
        # Point and force are rows, so one product turns both from the world into their link.
        both = both @ self._links.rotations.take(self._places, 0)
        both[~touching] = 0.0
        return touching, both[:, 0], both[:, 1]

    def _add_grip(self, sums: list[_Sums | None]) -> None:
        """Add the sideways forces on corners held by the ground; a corner without load counts as its own contact."""
        loaded = [total is not None for total in sums]
        for body, link, (x, y, z), (force_x, force_y) in self._grip.forces():
            index = self._index.get((body, link))
            if index is None:
                continue
            weight = 0.0 if loaded[index] else hypot(force_x, force_y)
            if sums[index] or weight:
                total = sums[index] or _NOTHING
                added = (weight, weight * x, weight * y, weight * z, force_x, force_y, 0.0)
                sums[index] = tuple(map(add, total, added))

    def look(self) -> None:
        """Record the contacts of a Bullet step that is not the last one of `step`."""
        if len(self._rows) > 1:
            self._sum_contacts()

    def _sum_contacts(self) -> list[_Sums | None]:
        """Sums per touch link; None without contact.

        Plain Python: there are at most a few contacts a robot, and numpy's overhead costs more.
        """
        meanings = self._meanings
        sums: list[_Sums | None] = [None] * len(self._index)
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
                weights, sum_px, sum_py, sum_pz, sum_x, sum_y, sum_z = sums[link] or _NOTHING
                sums[link] = (
                    weights + weight,
                    sum_px + weight * px,
                    sum_py + weight * py,
                    sum_pz + weight * pz,
                    sum_x + sign * x,
                    sum_y + sign * y,
                    sum_z + sign * z,
                )
        return sums

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
