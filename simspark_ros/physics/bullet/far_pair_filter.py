"""Keeps robots that only stand close from being solved as one.

Bullet joins bodies to one problem as soon as the bounding boxes of two links overlap, contact or not, and its direct
solver is cubic: 22 Naos shoulder to shoulder, none touching, take 130 ms a step instead of 7. Here pairs of links that
are too far apart to get a contact in the coming step are left out of Bullet's pairs, which changes no force. Only
crowds are looked at; elsewhere looking costs more than it brings.

Bullet keeps the filter of a pair as long as both bodies exist, and it goes before groups and masks: pairs that were
left out once are left out again while both robots are ghosts, or these would collide.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.model import ArticulatedModel

# From this number on robots in reach of each other are a crowd; solved as one, fewer cost less than a few ms.
_CROWD = 5
# Links are left alone up to this far beyond the distance of contacts, m: rounding of distances.
_SPARE = 0.005
# Robots with more overlapping boxes of links lie in each other: they touch, and looking closer would be dear.
_MOST_LOOKED = 30

LinkPair = tuple[int, int, int, int]
"""Bodies and links: body A < body B, link of A, link of B."""


class FarPairFilter:
    """The link pairs of a fixed list of robots that are left out; make a new one when the list changes.

    Pairs that `old` left out stay so while both robots are there.
    """

    def __init__(
        self, client: int, settings: BulletSettings, robots: list[BulletRobot], old: FarPairFilter | None
    ) -> None:
        self._client = client
        self._margin = settings.contact_margin
        self._robots = robots
        reaches = np.array([_reach(robot.model) for robot in robots])
        # Of each pair the square of the distance within which they may touch, m2.
        self._touchable = (reaches[:, None] + reaches[None] + 2.0 * self._margin) ** 2
        bodies = {robot.body for robot in robots}
        self._left_out: set[LinkPair] = set()
        # All pairs whose filter was ever set, left out or given back.
        self._filtered: set[LinkPair] = set()
        if old is not None:
            self._left_out = {pair for pair in old._left_out if pair[0] in bodies and pair[1] in bodies}
            self._filtered = {pair for pair in old._filtered if pair[0] in bodies and pair[1] in bodies}

    def part(self, positions: Array) -> None:
        """Leave out the pairs that cannot touch in the coming step, and no others. positions: (N, 3) of the bases."""
        if len(self._robots) < _CROWD:
            self._change(set())
            return
        offset = positions[:, None] - positions[None]
        near = np.einsum("ijk,ijk->ij", offset, offset) < self._touchable
        # A robot is near itself.
        if np.count_nonzero(near) < len(near) + 2 * (_CROWD - 1):
            self._change(set())
            return
        ghost = np.array([robot.ghost for robot in self._robots])
        # Ghosts do not meet each other.
        near &= ~(ghost[:, None] & ghost[None]) | np.eye(len(near), dtype=np.bool_)
        wanted: set[LinkPair] = set()
        for crowd in _groups(near):
            if len(crowd) >= _CROWD:
                wanted |= self._part_crowd(crowd)
        self._change(wanted)

    def _part_crowd(self, rows: list[int]) -> set[LinkPair]:
        """Link pairs to leave out among robots in reach of each other."""
        boxes = [self._boxes(self._robots[row]) for row in rows]
        whole = np.array([(box[:, 0].min(axis=0), box[:, 1].max(axis=0)) for box in boxes])
        near = _overlaps(whole, whole, 2.0 * self._margin)
        far: set[LinkPair] = set()
        for crowd in _groups(near):
            if len(crowd) < _CROWD:
                continue
            bodies = {self._robots[rows[index]].body for index in crowd}
            far |= {pair for pair in self._left_out if pair[0] in bodies and pair[1] in bodies}
            for one, other in combinations(crowd, 2):
                if near[one, other] and not (self._robots[rows[one]].ghost and self._robots[rows[other]].ghost):
                    self._part_pair(self._robots[rows[one]], self._robots[rows[other]], boxes[one], boxes[other], far)
        return far

    def _part_pair(
        self, one: BulletRobot, other: BulletRobot, boxes_one: Array, boxes_other: Array, far: set[LinkPair]
    ) -> None:
        """Bring the set up to date for two robots."""
        if one.body > other.body:
            one, other, boxes_one, boxes_other = other, one, boxes_other, boxes_one
        overlaps = np.argwhere(_overlaps(boxes_one, boxes_other, 2.0 * self._margin)).tolist()
        entangled = len(overlaps) > _MOST_LOOKED
        links_one, links_other = list(one.links.values()), list(other.links.values())
        for index, index_other in overlaps:
            pair = (one.body, other.body, links_one[index], links_other[index_other])
            if entangled or self._may_touch(pair):
                far.discard(pair)
            else:
                far.add(pair)

    def _boxes(self, robot: BulletRobot) -> Array:
        """(L, 2, 3) lower and upper corners of the links' bounding boxes."""
        body, client = robot.body, self._client
        return np.array([pybullet.getAABB(body, link, physicsClientId=client) for link in robot.links.values()])

    def _may_touch(self, pair: LinkPair) -> bool:
        body_a, body_b, link_a, link_b = pair
        reach = self._margin + _SPARE
        return bool(pybullet.getClosestPoints(body_a, body_b, reach, link_a, link_b, physicsClientId=self._client))

    def _change(self, wanted: set[LinkPair]) -> None:
        """Leave out these pairs, and those between ghosts that groups and masks no longer keep apart."""
        if not wanted and not self._filtered:
            return
        self._filtered |= wanted
        ghosts = {robot.body for robot in self._robots if robot.ghost}
        if ghosts:
            wanted |= {pair for pair in self._filtered if pair[0] in ghosts and pair[1] in ghosts}
        for pair in sorted(wanted ^ self._left_out):
            body_a, body_b, link_a, link_b = pair
            collide = pair not in wanted
            pybullet.setCollisionFilterPair(body_a, body_b, link_a, link_b, collide, physicsClientId=self._client)
        self._left_out = wanted


def _overlaps(boxes_a: Array, boxes_b: Array, margin: float) -> BoolArray:
    """(A, B) whether boxes, given as (A, 2, 3) and (B, 2, 3), overlap or are less than the margin apart."""
    a, b = boxes_a[:, None], boxes_b[None]
    overlap: BoolArray = (a[:, :, 0] < b[:, :, 1] + margin) & (b[:, :, 0] < a[:, :, 1] + margin)
    return np.logical_and.reduce(overlap, axis=2)  # type: ignore[no-any-return]


def _groups(near: BoolArray) -> list[list[int]]:
    """Rows that are connected, directly or through others."""
    waiting, groups = set(range(len(near))), []
    while waiting:
        group, fringe = set[int](), {min(waiting)}
        while fringe:
            group |= fringe
            neighbours = near[sorted(fringe)].any(axis=0)
            fringe = set(np.flatnonzero(neighbours).tolist()) - group
        waiting -= group
        groups.append(sorted(group))
    return groups


@lru_cache(maxsize=64)
def _reach(model: ArticulatedModel) -> float:
    """No part of the robot is ever farther from the base's centre of mass, m."""
    base = model.base
    distance = {base.name: math.dist(base.centre, (0.0, 0.0, 0.0))}
    joints = [*model.joints, *model.fixed_joints]
    while joints:
        joint = next(one for one in joints if one.parent in distance)
        joints.remove(joint)
        slide = max(abs(joint.lower), abs(joint.upper)) if joint.kind.value == "prismatic" else 0.0
        distance[joint.child] = distance[joint.parent] + math.hypot(*joint.position) + slide
    # A box's half diagonal, and more than that of the others.
    ends = [
        distance[link.name] + math.hypot(*shape.position) + math.hypot(*shape.size)
        for link in model.links
        for shape in link.collisions
    ]
    return max(ends, default=0.0)
