"""Poses and spins of all links of all robots, read once a step for all users."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.links import packed, rotations_of
from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.bullet.table import ANGULAR, POSITION
from simspark_ros.physics.engine import Array


class LinkStates:
    """The links of a fixed list of robots (rows), P in all; make a new one when the list changes.

    Helper links of the hinge drift do not count.

    Attributes:
        stale: whether a robot was put somewhere since the last `read`.
        centres: (P, 3) centres of mass, world frame, m.
        rotations: (P, 3, 3) rotations link to world.
        spins: (N, 3) sum of the angular velocities of each robot's links, world frame, rad/s.
    """

    def __init__(self, client: int, robots: list[BulletRobot]) -> None:
        self._client = client
        self._calls = [(robot.body, [link for link in robot.model_links if link != BASE]) for robot in robots]
        sizes = [len(links) + 1 for _, links in self._calls]
        # The base of a robot comes before its other links.
        self._bases = np.cumsum([0, *sizes])[:-1]
        self._places: dict[tuple[int, int], int] = {
            (body, link): first + number
            for (body, links), first in zip(self._calls, self._bases.tolist(), strict=True)
            for number, link in enumerate((BASE, *links))
        }
        self.stale = True
        self.centres: Array = np.zeros((sum(sizes), 3))
        self.rotations: Array = np.zeros((sum(sizes), 3, 3))
        self.spins: Array = np.zeros((len(robots), 3))

    def place(self, body: int, link: int) -> int:
        """Index of a link among the P; body, link: Bullet's numbers."""
        return self._places[body, link]

    def find(self, body: int, link: int) -> int | None:
        """As `place`; None if these numbers name no link of a robot."""
        return self._places.get((body, link))

    def read(self, bases: Array, base_rotations: Array) -> None:
        """Read everything; bases, base_rotations: table and rotations of the bases, from `RobotTable`."""
        self.stale = False
        centres: list[float] = []
        quaternions: list[tuple[float, ...]] = []
        spins: list[float] = []
        for (body, links), base in zip(self._calls, bases.tolist(), strict=True):
            centres += base[POSITION]
            quaternions.append((0.0, 0.0, 0.0, 1.0))
            x, y, z = base[ANGULAR]
            if links:
                # Without forward kinematics Bullet gives the poses before the step.
                states = pybullet.getLinkStates(
                    body, links, computeLinkVelocity=1, computeForwardKinematics=1, physicsClientId=self._client
                )
                for state in states:
                    centres += state[0]
                    quaternions.append(state[5])
                    spin = state[7]
                    x, y, z = x + spin[0], y + spin[1], z + spin[2]
            spins += (x, y, z)
        self.centres, self.spins = packed(centres, 3).copy(), packed(spins, 3)
        self.rotations = rotations_of(quaternions).copy()
        self.rotations[self._bases] = base_rotations
