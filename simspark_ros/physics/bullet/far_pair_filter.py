"""Keeps robots that only stand close from being solved as one.

Bullet joins bodies to one problem as soon as the bounding boxes of two links overlap, contact or not, and its direct
solver is cubic: 22 Naos shoulder to shoulder, none touching, take 130 ms a step instead of 7. Here pairs of links that
are too far apart to get a contact in the coming step are left out of Bullet's pairs, which changes no force. Only
crowds are looked at; elsewhere looking costs more than it brings.

Bullet keeps the filter of a pair as long as both bodies exist, and the filter wins over groups and masks. So pairs that
were once left out are left out again while both robots are ghosts; else these ghosts would collide.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.overlap import Pair

# Number of robots in reach of each other that make a crowd; solved as one, fewer cost less than a few ms.
_CROWD = 5
# Links are left alone up to this far beyond the distance of contacts, m: rounding of distances.
_SPARE = 0.005
# Robots with more overlapping boxes of links than this lie in each other: they touch, and looking closer is dear.
_MOST_LOOKED = 30

LinkPair = tuple[int, int, int, int]
"""Bodies and links: body A < body B, link of A, link of B."""


class FarPairFilter:
    """The link pairs of a fixed list of robots that are left out; make a new one when the list changes.

    The filters that `old` has set stay while both bodies exist, filters of spare robots included.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        robots: list[BulletRobot],
        spare: list[BulletRobot],
        old: FarPairFilter | None,
    ) -> None:
        self._client = client
        self._margin = settings.contact_margin
        self._robots = robots
        reaches = np.array([_reach(robot.model) for robot in robots])
        # (N, N) square of the distance within which two robots may touch, m2.
        self._touchable = (reaches[:, None] + reaches[None] + 2.0 * self._margin) ** 2
        bodies = {robot.body for robot in (*robots, *spare)}
        self._left_out: set[LinkPair] = set()
        self._wanted: set[LinkPair] = set()
        # All pairs whose filter was ever set, left out or given back.
        self._filtered: set[LinkPair] = set()
        if old is not None and old._client == client:
            self._left_out = {pair for pair in old._left_out if pair[0] in bodies and pair[1] in bodies}
            self._filtered = {pair for pair in old._filtered if pair[0] in bodies and pair[1] in bodies}

    def look(self, positions: Array) -> dict[Pair, int]:
        """Find the pairs of links that cannot touch in the coming step. positions: (N, 3) centres of the bases, m.

        Returns the numbers of pairs that may, by rows of two robots; nothing outside crowds and between ghosts.
        """
        self._wanted, meeting = set(), dict[Pair, int]()
        if len(self._robots) < _CROWD:
            return meeting
        offset = positions[:, None] - positions[None]
        near = np.einsum("ijk,ijk->ij", offset, offset) < self._touchable
        # A robot is near itself.
        if np.count_nonzero(near) < len(near) + 2 * (_CROWD - 1):
            return meeting
        ghost = np.array([robot.ghost for robot in self._robots])
        # Ghosts do not meet each other.
        near &= ~(ghost[:, None] & ghost[None]) | np.eye(len(near), dtype=np.bool_)
        for crowd in _groups(near):
            if len(crowd) >= _CROWD:
                self._look_at_crowd(crowd, meeting)
        return meeting

    def part(self) -> None:
        """Leave out the found pairs and the pairs between ghosts that masks do not part, but no other pairs."""
        wanted = self._wanted
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

    def _look_at_crowd(self, rows: list[int], meeting: dict[Pair, int]) -> None:
        """Find the pairs of links among robots in reach of each other."""
        boxes = [link_boxes(self._robots[row]) for row in rows]
        whole = whole_boxes(boxes)
        near = boxes_overlap(whole, whole, 2.0 * self._margin)
        for crowd in _groups(near):
            if len(crowd) < _CROWD:
                continue
            bodies = {self._robots[rows[index]].body for index in crowd}
            self._wanted |= {pair for pair in self._left_out if pair[0] in bodies and pair[1] in bodies}
            for one, other in combinations(crowd, 2):
                robots = self._robots[rows[one]], self._robots[rows[other]]
                if near[one, other] and not (robots[0].ghost and robots[1].ghost):
                    count = self._look_at_pair(*robots, boxes[one], boxes[other])
                    if count:
                        meeting[rows[one], rows[other]] = count

    def _look_at_pair(self, one: BulletRobot, other: BulletRobot, boxes_one: Array, boxes_other: Array) -> int:
        """Find the pairs of links of two robots; returns how many may touch."""
        if one.body > other.body:
            one, other, boxes_one, boxes_other = other, one, boxes_other, boxes_one
        overlaps = np.argwhere(boxes_overlap(boxes_one, boxes_other, 2.0 * self._margin)).tolist()
        entangled = len(overlaps) > _MOST_LOOKED
        links_one, links_other = list(one.links.values()), list(other.links.values())
        count = 0
        for index, index_other in overlaps:
            pair = (one.body, other.body, links_one[index], links_other[index_other])
            if entangled or self._may_touch(pair):
                count += 1
                self._wanted.discard(pair)
            else:
                self._wanted.add(pair)
        return count

    def _may_touch(self, pair: LinkPair) -> bool:
        body_a, body_b, link_a, link_b = pair
        reach = self._margin + _SPARE
        return bool(pybullet.getClosestPoints(body_a, body_b, reach, link_a, link_b, physicsClientId=self._client))


def link_boxes(robot: BulletRobot) -> Array:
    """(L, 2, 3) lower and upper corners of the bounding boxes of a robot's links, in the order of its `links`."""
    robot.refresh()
    body, client = robot.body, robot.client
    return np.array([pybullet.getAABB(body, link, physicsClientId=client) for link in robot.links.values()])


def whole_boxes(boxes: list[Array]) -> Array:
    """(N, 2, 3) the bounding boxes of robots, from the boxes of their links."""
    return np.array([(box[:, 0].min(axis=0), box[:, 1].max(axis=0)) for box in boxes])


def boxes_overlap(boxes_a: Array, boxes_b: Array, margin: float) -> BoolArray:
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


@kept_with_model
def _reach(model: ArticulatedModel) -> float:
    """Upper bound of the distance of any part of the robot from the base's centre of mass, m."""
    base = model.base
    distance = {base.name: math.dist(base.centre, (0.0, 0.0, 0.0))}
    joints = [*model.joints, *model.fixed_joints]
    while joints:
        joint = next(one for one in joints if one.parent in distance)
        joints.remove(joint)
        slide = max(abs(joint.lower), abs(joint.upper)) if joint.kind.value == "prismatic" else 0.0
        distance[joint.child] = distance[joint.parent] + math.hypot(*joint.position) + slide
    # The half diagonal of a box; more than needed for other shapes.
    ends = [
        distance[link.name] + math.hypot(*shape.position) + math.hypot(*shape.size)
        for link in model.links
        for shape in link.collisions
    ]
    return max(ends, default=0.0)
