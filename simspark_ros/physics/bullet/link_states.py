"""Poses and velocities of the links of all robots, once a step for all users, from the states of bases and joints."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR, POSITION
from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.geometry.link_motion import link_tree
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.ode_likeness.correction import Motion


class LinkStates:
    """The links of a fixed list of robots (rows), P in all; make a new one when the list changes.

    Attributes:
        stale: whether a robot was put somewhere since the last `read`.
        firsts: (N,) index of each robot's base among the P links; the other links follow in the model's order.
        centres: (P, 3) centres of mass, world frame, m.
        rotations: (P, 3, 3) rotations of the links to the world.
        linear, angular: (P, 3) velocities of the centres of mass, m/s, and angular velocities, rad/s, world frame.
        shifts, closing: (P, 3) shift of each link from Bullet's place to its real place, m, and the velocity that takes
            it back in the coming step, m/s; world frame; zero but for `SeparateBodies`.
    """

    def __init__(self, robots: list[BulletRobot]) -> None:
        sizes = [len(robot.model_links) for robot in robots]
        self.firsts = np.cumsum([0, *sizes])[:-1]
        self._places: dict[tuple[int, int], int] = {
            (robot.body, link): first + number
            for robot, first in zip(robots, self.firsts.tolist(), strict=True)
            for number, link in enumerate(robot.model_links)
        }
        self._tree = link_tree([robot.model for robot in robots])
        self.stale = True
        count = sum(sizes)
        self.centres, self.linear, self.angular = (np.zeros((count, 3)) for _ in range(3))
        self.shifts: Array = np.zeros((count, 3))
        self.closing: Array = np.zeros((count, 3))
        self._turns = np.zeros((count, 9))
        self._moving: tuple[Array, Array] = np.zeros((count, 3)), np.zeros((count, 3))
        self.rotations: Array = self._turns.reshape(-1, 3, 3)

    def place(self, body: int, link: int) -> int:
        """Index of a link among the P; body, link: Bullet's numbers."""
        return self._places[body, link]

    def of_robot(self, row: int) -> slice:
        """Indices of all links of a robot, in the model's order."""
        end = self.firsts[row + 1] if row + 1 < len(self.firsts) else len(self.centres)
        return slice(int(self.firsts[row]), int(end))

    def find(self, body: int, link: int) -> int | None:
        """Index of a link; None if these numbers name no link of a robot."""
        return self._places.get((body, link))

    def spins(self) -> Array:
        """Sum of the angular velocities of each robot's links, (N, 3), world frame, rad/s."""
        return np.add.reduceat(self.angular, self.firsts, axis=0)

    def read(self, bases: Array, base_rotations: Array, joints: Array) -> None:
        """Find everything anew.

        Args:
            bases: table of bases, from `RobotTable.read`.
            base_rotations: (N, 3, 3) rotations of the bases, from `RobotTable.rotations`.
            joints: table of joints, from `RobotTable.read`.
        """
        self.stale = False
        self.centres[self.firsts] = bases[:, POSITION]
        self.rotations[self.firsts] = base_rotations
        self.linear[self.firsts], self.angular[self.firsts] = bases[:, LINEAR], bases[:, ANGULAR]
        self._tree.pose(joints[0], self.centres, self._turns)
        self._tree.move(self.centres, self._turns, joints[1], self.linear, self.angular)

    def motion(self, motion: Motion) -> Array:
        """(P, 6) velocities, linear and angular, of links that are where they are now but move like this."""
        linear, angular = self._moving
        linear[self.firsts], angular[self.firsts] = motion.bases[:, LINEAR], motion.bases[:, ANGULAR]
        self._tree.move(self.centres, self._turns, motion.rates, linear, angular)
        return np.hstack((linear, angular))

    def select(self, state: EngineState, links: list[tuple[int, str]]) -> SelectedLinks:
        """Prepare a selection, see `EngineCore.select_links`."""
        selected = resolve_links(state, links)
        selected.bodies = self.firsts[selected.rows] + np.array(selected.links, np.int64)
        return selected

    def poses(self, selection: SelectedLinks) -> tuple[Array, Array]:
        """Where the links of a selection really are, see `EngineCore.link_poses`."""
        places = selection.bodies
        return selection.frames(self.centres[places] + self.shifts[places], self.rotations[places])

    def velocities(self, selection: SelectedLinks) -> tuple[Array, Array]:
        """How the links of a selection really move, see `EngineCore.link_velocities`."""
        places = selection.bodies
        linear = self.linear[places] + self.closing[places]
        return selection.velocities(linear, self.angular[places], self.rotations[places])
