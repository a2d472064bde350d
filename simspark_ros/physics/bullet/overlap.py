"""Keeps robots that were put into each other from stopping the simulation.

Two Naos on one spot have 90 contacts, five have 860, and the direct solver is cubic in them: one step would take
seconds. Such robots become ghosts: they touch everything but other ghosts, until they are apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.overlap import PATIENCE, Pair, members, overlapping

# Robots with bases nearer than this are not apart, m; saves the dear exact test.
_NEAR = 0.1


class BulletOverlaps:
    """Pairs of robots (by handle) that were put into each other, and so are ghosts."""

    def __init__(self, client: int) -> None:
        self._client = client
        self._pairs: set[Pair] = set()
        self._age = 0

    def find(self, robots: Mapping[int, BulletRobot], placed: set[int]) -> None:
        """Look for overlaps of the robots that were placed, before a step computes with them."""
        pybullet.performCollisionDetection(physicsClientId=self._client)
        owner = {robot.body: handle for handle, robot in robots.items()}
        counts: Counter[Pair] = Counter()
        for contact in pybullet.getContactPoints(physicsClientId=self._client):
            one, other = owner.get(contact[1]), owner.get(contact[2])
            if one is not None and other is not None and (one in placed or other in placed):
                counts[min(one, other), max(one, other)] += 1
        found = overlapping(counts)
        self._pairs.update(found)
        for pair in found:
            for handle in pair:
                robots[handle].be_ghost(True)

    def release(self, robots: Mapping[int, BulletRobot]) -> None:
        """Once in a while, let pairs that are apart collide again."""
        if not self._pairs:
            return
        self._age += 1
        if self._age % PATIENCE:
            return
        self._keep({pair for pair in self._pairs if self._touching(robots, pair)}, robots)

    def follow(self, client: int) -> None:
        """Go on in another world, where the ghosts are ghosts."""
        self._client = client

    def forget(self, handle: int, robots: Mapping[int, BulletRobot]) -> None:
        """Drop the pairs of a robot that left."""
        self._keep({pair for pair in self._pairs if handle not in pair}, robots)

    def _keep(self, pairs: set[Pair], robots: Mapping[int, BulletRobot]) -> None:
        for handle in sorted((members(self._pairs) - members(pairs)) & robots.keys()):
            robots[handle].be_ghost(False)
        self._pairs = pairs

    def _touching(self, robots: Mapping[int, BulletRobot], pair: Pair) -> bool:
        one, other = (robots[handle].body for handle in pair)
        centres = [
            pybullet.getBasePositionAndOrientation(body, physicsClientId=self._client)[0] for body in (one, other)
        ]
        if math.dist(*centres) < _NEAR:
            return True
        return bool(pybullet.getClosestPoints(one, other, 0.0, physicsClientId=self._client))
