"""Contacts of all touch links of all robots, from one call."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.physics.bullet_robot import BASE, BulletRobot
from simspark_ros.physics.engine import Array, BoolArray

# Per touch link: sum of weights, of weighted points (3), of forces (3).
_COLUMNS = np.arange(7)

Touch = tuple[BoolArray, Array, Array]


class TouchReader:
    """Reads contact points and forces for a fixed list of robots; make a new one when the list changes."""

    def __init__(self, client: int, robots: list[BulletRobot]) -> None:
        """Prepare the tables that find touch links among the contacts."""
        self._client = client
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
        if not self._index:
            return self.nothing()
        links, contacts = self._contacts()
        if not links:
            return self.nothing()
        # Columns: position, normal, first and second friction direction, normal and friction forces, sign.
        table = np.array(contacts)
        forces = table[:, 3:6] * table[:, 12:13]
        forces += table[:, 6:9] * table[:, 13:14]
        forces += table[:, 9:12] * table[:, 14:15]
        forces *= table[:, 15:]
        weights = np.sqrt(np.einsum("ij,ij->i", forces, forces))[:, None]
        values = np.hstack((weights, table[:, :3] * weights, forces))
        bins = np.array(links)[:, None] * 7 + _COLUMNS
        sums = np.bincount(bins.ravel(), values.ravel(), minlength=7 * self._count).reshape(-1, 7)
        touching = sums[:, 0] > 0.0
        centres, rotations = self._poses(touching)
        points = sums[:, 1:4] / np.where(touching, sums[:, 0], 1.0)[:, None] - centres
        points *= touching[:, None]
        in_link = np.einsum("tki,tij->tkj", np.stack((points, sums[:, 4:]), axis=1), rotations)
        return touching, in_link[:, 0].copy(), in_link[:, 1].copy()

    def _contacts(self) -> tuple[list[int], list[tuple[float, ...]]]:
        """Touch index and numbers of each contact of a touch link; a contact of two of them counts for both."""
        find = self._index.get
        links: list[int] = []
        contacts: list[tuple[float, ...]] = []
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            normal_force = contact[9]
            if normal_force <= 0.0:
                continue
            # Bullet reports the forces on body A.
            for link, sign in ((find((contact[1], contact[3])), 1.0), (find((contact[2], contact[4])), -1.0)):
                if link is not None:
                    links.append(link)
                    directions = contact[5] + contact[7] + contact[11] + contact[13]
                    contacts.append((*directions, normal_force, contact[10], contact[12], sign))
        return links, contacts

    def _poses(self, touching: BoolArray) -> tuple[Array, Array]:
        """Centres of mass and rotations of the touch links of those robots of which one touches something."""
        centres = np.zeros((self._count, 3))
        rotations = np.zeros((self._count, 9))
        flags = touching.tolist()
        rows: list[int] = []
        positions: list[tuple[float, ...]] = []
        matrices: list[tuple[float, ...]] = []
        for body, links, first in self._robots:
            if not any(flags[first : first + len(links)]):
                continue
            rows.extend(range(first, first + len(links)))
            for state in link_states(body, links, self._client):
                positions.append(state[0])
                matrices.append(pybullet.getMatrixFromQuaternion(state[5]))
        centres[rows] = positions
        rotations[rows] = matrices
        return centres, rotations.reshape(-1, 3, 3)


def link_states(body: int, links: list[int], client: int, forward: bool = False) -> list[tuple[tuple[float, ...], ...]]:
    """Bullet's link states of a body, the base included: [0] is the centre of mass, [5] the link's orientation.

    Args:
        body: Bullet's number of the body.
        links: Bullet's link indices.
        client: Bullet's client number.
        forward: compute the kinematics anew (needed after joints or base were set without a step).
    """
    moving = [link for link in links if link != BASE]
    states = iter(
        pybullet.getLinkStates(body, moving, computeForwardKinematics=forward, physicsClientId=client) if moving else ()
    )
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
