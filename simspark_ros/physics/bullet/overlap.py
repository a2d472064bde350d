"""Keeps robots in each other and heaps of robots from stopping the simulation: the direct solver is cubic.

Two Naos on one spot have 90 contacts, five have 860: one step would take seconds, as it does in a heap of 64 that came
together by moving. Such robots become ghosts: they touch everything but other ghosts, until they are apart from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

import pybullet

from simspark_ros.physics.bullet.far_pair_filter import boxes_overlap, link_boxes, whole_boxes
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.island_limit import IslandLimit
from simspark_ros.physics.overlap import PATIENCE, Pair, members, overlapping, pair_of

# Links that a pair of near links adds to the size of a group: a joint is one row of the solver, a contact three, and
# many near pairs have none. Steps of heaps of 9 to 22 Naos took 0.47 ns times the cube of the size, within a half.
_LINKS_PER_PAIR = 2.0
# Largest number of pairs of links that count for two robots; other near pairs do not touch.
_MOST_PAIRS = 10


class BulletOverlaps:
    """Makes robots ghosts, and solid again.

    Args:
        pile_size: largest size of a group, see the setting.
    """

    def __init__(self, client: int, pile_size: float) -> None:
        self._client = client
        self._limit = IslandLimit(pile_size)
        self._age = 0

    def find(self, robots: Mapping[int, BulletRobot], placed: set[int]) -> None:
        """Look for overlaps of the robots that were placed, before a step computes with them."""
        for robot in robots.values():
            robot.refresh()
        pybullet.performCollisionDetection(physicsClientId=self._client)
        owner = {robot.body: handle for handle, robot in robots.items()}
        counts: Counter[Pair] = Counter()
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            one, other = owner.get(contact[1]), owner.get(contact[2])
            if one is not None and other is not None and (one in placed or other in placed):
                counts[pair_of(one, other)] += 1
        for handle in sorted(members(overlapping(counts))):
            robots[handle].be_ghost(True)

    def limit(self, robots: list[BulletRobot], meeting: Mapping[Pair, int]) -> None:
        """Make ghosts of pairs that would join groups into too large a group in the coming step.

        meeting: number of pairs of links that may touch in the coming step, by rows of two robots.
        """
        if not meeting:
            return
        self._limit.start({row: len(robot.links) for row, robot in enumerate(robots)})
        for (one, other), links in meeting.items():
            pair = robots[one], robots[other]
            if pair[0].ghost and pair[1].ghost:
                continue
            if not self._limit.join(one, other, _LINKS_PER_PAIR * min(links, _MOST_PAIRS)):
                for robot in pair:
                    robot.be_ghost(True)

    def release(self, robots: Iterable[BulletRobot]) -> None:
        """Once in a while, let ghosts that are apart from all others collide again."""
        ghosts = [robot for robot in robots if robot.ghost]
        if not ghosts:
            return
        self._age += 1
        if self._age % PATIENCE:
            return
        boxes = whole_boxes([link_boxes(robot) for robot in ghosts])
        near = boxes_overlap(boxes, boxes, 0.0)
        stay: set[int] = set()
        for one, other in combinations(range(len(ghosts)), 2):
            if near[one, other] and not {one, other} <= stay and self._touching(ghosts[one], ghosts[other]):
                stay |= {one, other}
        for index, ghost in enumerate(ghosts):
            if index not in stay:
                ghost.be_ghost(False)

    def follow(self, client: int) -> None:
        """Go on in another world, where the ghosts are ghosts."""
        self._client = client

    def _touching(self, one: BulletRobot, other: BulletRobot) -> bool:
        return bool(pybullet.getClosestPoints(one.body, other.body, 0.0, physicsClientId=self._client))
