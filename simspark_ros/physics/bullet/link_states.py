"""Poses of links of all robots, and the robots' spins, read once a step for all users."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.links import packed, rotations_of
from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.bullet.table import ANGULAR, POSITION
from simspark_ros.physics.engine import Array, IntArray


class LinkStates:
    """The links of a fixed list of robots (rows), P in all; make a new one when the list changes.

    `everything`: whether the poses of all links are read, and not only of
    bases and of links that users have asked for by `place` before the first `read`.

    Attributes:
        stale: whether a robot was put somewhere since the last `read`.
        centres: (P, 3) centres of mass of the links that are read, world frame, m.
        rotations: (P, 3, 3) rotations of these links to the world.
        shifts, closing: (P, 3) shift of each link from Bullet's place to its real place, m, and the velocity that takes
            it back in the coming step, m/s; world frame; zero but for `SeparateBodies`.
        spins: (N, 3) sum of the angular velocities of each robot's links, world frame, rad/s.
    """

    def __init__(self, client: int, robots: list[BulletRobot], everything: bool = False) -> None:
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
        self._numbers: list[list[int]] | None = None
        self._wanted = set(self._places.values()) if everything else set()
        self.stale = True
        self.centres: Array = np.zeros((sum(sizes), 3))
        self.rotations: Array = np.zeros((sum(sizes), 3, 3))
        self.spins: Array = np.zeros((len(robots), 3))
        self.shifts: Array = np.zeros((sum(sizes), 3))
        self.closing: Array = np.zeros((sum(sizes), 3))

    def place(self, body: int, link: int) -> int:
        """Index of a link among the P, which is read from now on; body, link: Bullet's numbers."""
        place = self._places[body, link]
        self._wanted.add(place)
        return place

    def of_robot(self, row: int) -> slice:
        """Indices of all links of a robot, in the model's order."""
        first = int(self._bases[row])
        return slice(first, first + len(self._calls[row][1]) + 1)

    def find(self, body: int, link: int) -> int | None:
        """Index of a link; None if these numbers name no link of a robot."""
        return self._places.get((body, link))

    def read(self, bases: Array, base_rotations: Array) -> None:
        """Read everything; bases, base_rotations: table and rotations of the bases, from `RobotTable`."""
        self.stale = False
        if self._numbers is None:
            self._numbers, self._read = self._list_wanted()
        centres: list[float] = []
        quaternions: list[tuple[float, ...]] = []
        spins: list[float] = []
        for (body, links), numbers, base in zip(self._calls, self._numbers, bases[:, ANGULAR].tolist(), strict=True):
            x, y, z = base
            if links:
                # Without forward kinematics Bullet gives the poses before the step.
                states = pybullet.getLinkStates(
                    body, links, computeLinkVelocity=1, computeForwardKinematics=1, physicsClientId=self._client
                )
                for state in states:
                    spin = state[7]
                    x, y, z = x + spin[0], y + spin[1], z + spin[2]
                for number in numbers:
                    centres += states[number][0]
                    quaternions.append(states[number][5])
            spins += (x, y, z)
        self.spins = packed(spins, 3)
        self.centres[self._read], self.rotations[self._read] = packed(centres, 3), rotations_of(quaternions)
        self.centres[self._bases], self.rotations[self._bases] = bases[:, POSITION], base_rotations

    def _list_wanted(self) -> tuple[list[list[int]], IntArray]:
        """For each robot which of its links, beside the base, are read; and the indices of all of these."""
        firsts = (self._bases + 1).tolist()
        numbers = [
            [number for number in range(len(links)) if first + number in self._wanted]
            for (_, links), first in zip(self._calls, firsts, strict=True)
        ]
        read = [first + number for own, first in zip(numbers, firsts, strict=True) for number in own]
        return numbers, np.array(read, np.int64)
