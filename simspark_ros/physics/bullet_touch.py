"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pybullet

from simspark_ros.physics.bullet_robot import BASE, BulletRobot
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.meetings import Meetings
from simspark_ros.physics.model import ZERO, Vector

# Stands for the ball among rows.
_BALL = -1

Touch = tuple[BoolArray, Array, Array]


class TouchReader:
    """Reads contact points and forces for a fixed list of robots; make a new one when the list changes.

    Attributes:
        meetings: of robots with the ball and with each other, since they were cleared.
    """

    def __init__(self, client: int, robots: list[BulletRobot], ball: int | None) -> None:
        """Prepare the tables that find touch links, robots and the ball among the contacts."""
        self._client = client
        self.meetings = Meetings()
        self._rows = {robot.body: row for row, robot in enumerate(robots)}
        if robots and ball is not None:
            self._rows[ball] = _BALL
        self._index: dict[tuple[int, int], int] = {}
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

    def nothing(self) -> Touch:
        """The arrays of links that touch nothing."""
        return np.zeros(self._count, np.bool_), np.zeros((self._count, 3)), np.zeros((self._count, 3))

    def read(self) -> Touch:
        """`touching`, `touch_point` and `touch_force` of the last step, see EngineState."""
        if not self._rows:
            return self.nothing()
        sums = self._sum_contacts()
        points, forces = [ZERO] * self._count, [ZERO] * self._count
        for body, links, first in self._robots:
            if not any(sums[first : first + len(links)]):
                continue
            for index, state in enumerate(_link_states(body, links, self._client), first):
                total = sums[index]
                if total is not None:
                    points[index], forces[index] = _in_link(total, state[0], state[5])
        touching = np.array([total is not None for total in sums], np.bool_)
        return touching, np.array(points).reshape(-1, 3), np.array(forces).reshape(-1, 3)

    def look(self) -> None:
        """Note who meets in a Bullet step that is not the last one of `step`."""
        if len(self._rows) > 1:
            self._sum_contacts()

    def _sum_contacts(self) -> list[list[float] | None]:
        """Per touch link: sum of weights, of weighted points (3) and of forces (3); None without contact.

        Plain Python: there are at most a few contacts a robot, and numpy's overhead costs more.
        """
        find, movers = self._index.get, self._rows
        sums: list[list[float] | None] = [None] * self._count
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            _, body_a, body_b, link_a, link_b, point, _, normal, gap, force, force_u, axis_u, force_v, axis_v = contact
            # Bullet also lists what is near, and what touches and moves apart.
            if force <= 0.0 and gap > 0.0:
                continue
            if body_a in movers and body_b in movers:
                self._meet(movers[body_a], movers[body_b], point)
            if force <= 0.0:
                continue
            # Bullet reports the forces on body A; a contact of two touch links counts for both.
            for link, sign in ((find((body_a, link_a)), 1.0), (find((body_b, link_b)), -1.0)):
                if link is None:
                    continue
                x = force * normal[0] + force_u * axis_u[0] + force_v * axis_v[0]
                y = force * normal[1] + force_u * axis_u[1] + force_v * axis_v[1]
                z = force * normal[2] + force_u * axis_u[2] + force_v * axis_v[2]
                weight = sqrt(x * x + y * y + z * z)
                total = sums[link]
                if total is None:
                    total = sums[link] = [0.0] * 7
                total[0] += weight
                total[1] += weight * point[0]
                total[2] += weight * point[1]
                total[3] += weight * point[2]
                total[4] += sign * x
                total[5] += sign * y
                total[6] += sign * z
        return sums

    def _meet(self, one: int, other: int, point: tuple[float, ...]) -> None:
        if one == _BALL or other == _BALL:
            self.meetings.with_ball(max(one, other))
        elif one != other:
            self.meetings.of_robots(one, other, point)


def _in_link(total: list[float], centre: tuple[float, ...], orientation: tuple[float, ...]) -> tuple[Vector, Vector]:
    """Mean contact point and force in the axes of a link; `total` as `_sum_contacts` gives it."""
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
