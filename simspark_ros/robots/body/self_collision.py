"""Self collisions: overlaps of a robot's limbs, for all robots at once and only after movements.

Robots do not collide with themselves physically; rules forbid it instead. Overlaps are computed again only after joints
have turned far enough to close the narrowest gap of the last computation, so robots at rest cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from simspark_ros.kernels.angles import find_sines
from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.robots.body.limb_boxes import BoxNode, LimbBoxes, box_gaps, edge_gaps, face_gaps

Test = Literal["measured", "exact"]
"""Test for overlaps. `exact`: the separating-axis test. `measured`: the reference server's test, which does not
normalise cross products of edges, so that limbs with nearly parallel edges count as apart."""

STILL = 0.002
"""Largest movement of a robot's limbs that is ignored, m."""

CLOSE = 0.06
"""Distance of the spheres around two boxes below which the boxes are measured exactly, m: limbs are often farther apart
than their spheres, and then the robot need not be computed again so soon."""


class Overlap(NamedTuple):
    """Two overlapping limbs of a robot: its row in the engine's state, the names of the links, the depth (m)."""

    row: int
    first: str
    second: str
    depth: float


class SelfCollisions:
    """Watches the limbs of all robots of a world; invalid once the set of robots changes.

    Args:
        state: state with the robots; `revision` is its revision.
        limbs: limb boxes of each row's robot.
        tolerance: largest depth that is ignored, m.
        test: kind of test for overlaps.
    """

    def __init__(self, state: EngineState, limbs: Sequence[LimbBoxes], tolerance: float, test: Test) -> None:
        self.revision = state.revision
        self._tolerance = tolerance
        self._exact = test == "exact"
        self._chain = _Chain(state, limbs)
        self._pairs = _Pairs(limbs, self._chain)
        self._reach = np.concatenate([np.zeros(0), *(boxes.reach for boxes in limbs)])
        # Rows with pairs to watch, as `reduceat` cannot sum over an empty range.
        self._rows = np.flatnonzero(self._pairs.count_of_row)
        self._starts = state.joint_offset[:-1][self._rows]
        self._seen: Array | None = None
        self._room: Array = np.zeros(len(self._rows))
        self._found: list[Overlap] = []

    def overlaps(self, state: EngineState) -> list[Overlap]:
        """All overlaps, by row."""
        if len(self._rows) and self._moved(state.joint_position):
            self._look(state.joint_position)
        return self._found

    def _moved(self, position: Array) -> bool:
        if self._seen is None:
            return True
        way = np.abs(position - self._seen)
        way *= self._reach
        return bool((np.add.reduceat(way, self._starts) > self._room).any())

    def _look(self, position: Array) -> None:
        """Compute the gaps of all robots, which costs hardly more than for one."""
        pairs = self._pairs
        poses = self._chain.poses(position)
        centres = np.ascontiguousarray(poses[:, :3, 3])
        offset = centres.take(pairs.second, 0) - centres.take(pairs.first, 0)
        # Most pairs are settled by the gaps of the spheres around the boxes.
        gaps: Array = np.sqrt(np.einsum("kj,kj->k", offset, offset)) - pairs.radii
        near = np.flatnonzero(gaps < CLOSE - self._tolerance)
        gaps[near], hits = self._test(poses, offset[near], near)
        self._seen = position.copy()
        room = np.minimum.reduceat(gaps, pairs.starts) + self._tolerance
        self._room = np.maximum(room, STILL)
        # Pairs are in the order of rows.
        self._found = [Overlap(*pairs.names(pair), -float(gaps[pair])) for pair in hits.tolist()]

    def _test(self, poses: Array, offset: Array, near: IntArray) -> tuple[Array, IntArray]:
        """Gaps of the pairs `near`, and the pairs of them that overlap."""
        pairs = self._pairs
        axes = poses.take(pairs.first.take(near), 0)[:, :3, :3]
        turn = product(axes.transpose(0, 2, 1), poses.take(pairs.second.take(near), 0)[:, :3, :3])
        offset = np.einsum("ki,kij->kj", offset, axes)
        first, second = pairs.first_size.take(near, 0), pairs.second_size.take(near, 0)
        gaps = face_gaps(offset, turn, first, second)
        deep = np.flatnonzero(gaps < -self._tolerance)
        if not len(deep):
            return gaps, deep
        boxes = (offset[deep], turn[deep], first[deep], second[deep])
        gaps[deep] = box_gaps(*boxes)
        hit: BoolArray = gaps[deep] < -self._tolerance
        if not self._exact:
            hit &= edge_gaps(*boxes)[0].max(1) < -self._tolerance
        return gaps, near[deep[hit]]


class _Chain:
    """Forward kinematics of the boxes of all robots: one matrix product per level."""

    def __init__(self, state: EngineState, limbs: Sequence[LimbBoxes]) -> None:
        flat: list[tuple[int, int, BoxNode]] = [
            (row, index, node) for row, boxes in enumerate(limbs) for index, node in enumerate(boxes.nodes)
        ]
        flat.sort(key=lambda entry: entry[2].level)
        self.place = {(row, index): number for number, (row, index, _) in enumerate(flat)}
        moving = [entry for entry in flat if entry[2].parent >= 0]
        parents = [self.place[row, node.parent] for row, _, node in moving]
        self._bases = len(flat) - len(moving)
        self._poses = np.tile(np.eye(4), (len(flat), 1, 1))
        self._parents = np.array(parents, np.int64)
        offsets = state.joint_offset
        # A fixed joint reads any joint: its matrices of sine and cosine are 0.
        self._joints = np.array([int(offsets[row]) + max(node.joint, 0) for row, _, node in moving], np.int64)
        self._prismatic = np.array([i for i, (_, _, node) in enumerate(moving) if node.prismatic], np.int64)
        self._constant = np.array([node.constant for _, _, node in moving]).reshape(-1, 4, 4)
        self._sine = np.array([node.sine for _, _, node in moving]).reshape(-1, 4, 4)
        self._cosine = np.array([node.cosine for _, _, node in moving]).reshape(-1, 4, 4)
        levels = [node.level for _, _, node in moving]
        ends = np.searchsorted(levels, range(1, max(levels, default=0) + 2)).tolist()
        self._levels = [slice(start, end) for start, end in pairwise(ends)]

    def poses(self, position: Array) -> Array:
        """Poses (nodes, 4, 4) in the axes of each robot's base; valid until the next call."""
        angle = position.take(self._joints)
        sine, cosine = np.empty((2, len(angle)))
        find_sines(angle, sine, cosine)
        if len(self._prismatic):
            sine[self._prismatic] = angle[self._prismatic]
        steps = self._sine * sine[:, None, None]
        steps += self._cosine * cosine[:, None, None]
        steps += self._constant
        poses, bases = self._poses, self._bases
        for level in self._levels:
            out = poses[bases + level.start : bases + level.stop]
            np.einsum("kij,kjl->kil", poses.take(self._parents[level], 0), steps[level], out=out)
        return poses


class _Pairs:
    """The pairs of boxes to watch, in the order of rows."""

    def __init__(self, limbs: Sequence[LimbBoxes], chain: _Chain) -> None:
        self._limbs = limbs
        self._listed = listed = [(row, pair) for row, boxes in enumerate(limbs) for pair in boxes.pairs]
        rows = np.array([row for row, _ in listed], np.int64)
        self.count_of_row = np.bincount(rows, minlength=len(limbs))
        self.starts = np.flatnonzero(np.diff(rows, prepend=-1))
        self.first = np.array([chain.place[row, pair[0]] for row, pair in listed], np.int64)
        self.second = np.array([chain.place[row, pair[1]] for row, pair in listed], np.int64)
        sizes = [[limbs[row].nodes[index].half_size for index in pair] for row, pair in listed]
        self.first_size, self.second_size = np.array(sizes, np.float64).reshape(-1, 2, 3).transpose(1, 0, 2)
        self.radii = np.sqrt((self.first_size**2).sum(1)) + np.sqrt((self.second_size**2).sum(1))

    def names(self, pair: int) -> tuple[int, str, str]:
        """Row and links of a pair."""
        row, (first, second) = self._listed[pair]
        nodes = self._limbs[row].nodes
        return row, nodes[first].link, nodes[second].link
