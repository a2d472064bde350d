"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.model import Vector
from simspark_ros.physics.rows import TouchArrays

# Stands for the ball among rows.
_BALL = -1

# Bodies A and B, link of A, link of B.
_LinkPair = tuple[int, int, int, int]
# Of a contact of two links: the rows, or the ball, that meet; the touch links it pushes, with the sign of the force.
_Meaning = tuple[tuple[int, int] | None, tuple[tuple[int, float], ...]]
# Sum of weights, of weighted points (3) and of forces (3).
_Sums = tuple[float, float, float, float, float, float, float]
_NOTHING: _Sums = (0.0,) * 7


class TouchReader:
    """Reads contact points and forces for a fixed list of robots; make a new one when the list changes.

    Attributes:
        summary: of robots with the ball and with each other, since they were cleared.
    """

    def __init__(self, client: int, robots: list[BulletRobot], ball: int | None) -> None:
        self._client = client
        self.summary = ContactSummary()
        self._rows = {robot.body: row for row, robot in enumerate(robots)}
        if robots and ball is not None:
            self._rows[ball] = _BALL
        self._index: dict[tuple[int, int], int] = {}
        # Learned as links meet.
        self._meanings: dict[_LinkPair, _Meaning] = {}
        # Body and touch links of each robot that has any, and where its part of the touch arrays begins.
        self._robots: list[tuple[int, list[int], int]] = []
        count = 0
        for robot in robots:
            if robot.touch_links:
                self._robots.append((robot.body, robot.touch_links, count))
            for link in robot.touch_links:
                self._index[robot.body, link] = count
                count += 1
        self._count = count

    def nothing(self) -> TouchArrays:
        """The arrays of links that touch nothing."""
        return np.zeros(self._count, np.bool_), np.zeros((self._count, 3)), np.zeros((self._count, 3))

    def read(self) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the last step, see EngineState."""
        if not self._rows:
            return self.nothing()
        sums = self._sum_contacts()
        points, forces = [0.0] * (3 * self._count), [0.0] * (3 * self._count)
        for body, links, first in self._robots:
            if not any(sums[first : first + len(links)]):
                continue
            for index, state in enumerate(_link_states(body, links, self._client), first):
                total = sums[index]
                if total is not None:
                    own = slice(3 * index, 3 * index + 3)
                    points[own], forces[own] = _in_link(total, state[0], state[5])
        touching = np.array([total is not None for total in sums], np.bool_)
        return touching, np.array(points).reshape(-1, 3), np.array(forces).reshape(-1, 3)

    def look(self) -> None:
        """Record the contacts of a Bullet step that is not the last one of `step`."""
        if len(self._rows) > 1:
            self._sum_contacts()

    def _sum_contacts(self) -> list[_Sums | None]:
        """Sums per touch link; None without contact.

        Plain Python: there are at most a few contacts a robot, and numpy's overhead costs more.
        """
        meanings = self._meanings
        sums: list[_Sums | None] = [None] * self._count
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            _, _, _, _, _, point, _, normal, gap, force, force_u, axis_u, force_v, axis_v = contact
            # Bullet also lists what is near, and what touches and moves apart.
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


def _in_link(total: _Sums, centre: tuple[float, ...], orientation: tuple[float, ...]) -> tuple[Vector, Vector]:
    """Mean contact point and force in the axes of a link."""
    weight, x, y, z, force_x, force_y, force_z = total
    x, y, z = x / weight - centre[0], y / weight - centre[1], z / weight - centre[2]
    xx, xy, xz, yx, yy, yz, zx, zy, zz = pybullet.getMatrixFromQuaternion(orientation)
    return (
        (x * xx + y * yx + z * zx, x * xy + y * yy + z * zy, x * xz + y * yz + z * zz),
        (
            force_x * xx + force_y * yx + force_z * zx,
            force_x * xy + force_y * yy + force_z * zy,
            force_x * xz + force_y * yz + force_z * zz,
        ),
    )


def _link_states(body: int, links: list[int], client: int) -> list[tuple[tuple[float, ...], ...]]:
    """Bullet's link states, the base included: [0] is the centre of mass, [5] the link's orientation.

    They are those from before the step, without Bullet's forward kinematics. So are the contact points.
    """
    moving = [link for link in links if link != BASE]
    states = iter(pybullet.getLinkStates(body, moving, physicsClientId=client) if moving else ())
    if len(moving) == len(links):
        return list(states)
    base = _base_state(body, client)
    return [base if link == BASE else next(states) for link in links]


def _base_state(body: int, client: int) -> tuple[tuple[float, ...], ...]:
    position, orientation = pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
    principal = pybullet.getDynamicsInfo(body, BASE, physicsClientId=client)[4]
    _, inverse = pybullet.invertTransform((0, 0, 0), principal)
    _, turned = pybullet.multiplyTransforms((0, 0, 0), orientation, (0, 0, 0), inverse)
    return (position, orientation, (), (), (), turned)
