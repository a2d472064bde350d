"""The frames and poses of everything that moves, and the targets that a camera can follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.server.viewer_settings import BALL, TV
from simspark_watching.broadcast.scene_recognition import SceneObjects

JUMP = 1.0
"""Longest way that a body moves by itself between two pictures, m; a body farther away was put there."""


@dataclass(frozen=True)
class BodyPoses:
    """Positions (K, 3), m, and quaternions (K, 4), w, x, y, z, in the order of `BodyFrames`."""

    positions: Array
    quaternions: Array


def between(earlier: BodyPoses, later: BodyPoses, share: float) -> BodyPoses:
    """Poses at a share, 0 to 1, of the way; bodies that jump do so in the middle. Both have the same bodies."""
    near, far = (earlier, later) if share < 0.5 else (later, earlier)
    way = later.positions - earlier.positions
    jumps = (np.linalg.norm(way, axis=1) > JUMP)[:, None]
    positions = np.where(jumps, near.positions, earlier.positions + share * way)
    # Two quaternions of opposite sign are one orientation.
    same = np.sign((near.quaternions * far.quaternions).sum(1, keepdims=True))
    weight = share if near is earlier else 1.0 - share
    mixed = (1.0 - weight) * near.quaternions + weight * np.where(same < 0.0, -1.0, 1.0) * far.quaternions
    length = np.linalg.norm(mixed, axis=1, keepdims=True)
    quaternions = np.where(jumps | (length < 0.1), near.quaternions, mixed / np.maximum(length, 0.1))
    return BodyPoses(positions, quaternions)


_MARK_HEIGHT, _BALL_MARK_HEIGHT = 0.012, 0.30
"""Heights of the rings around robots and of the arrow at the ball, m."""


@dataclass(frozen=True)
class BodyFrames:
    """The frames of everything that moves: links of robots in the order of the scene, the ball, marks of all these.

    Attributes:
        nodes: (K,) nodes of the scene, one for each link and one for the ball, whose frames they have.
        torsos: (R,) rows of the robots' first links.
        ball: whether there is a ball.
    """

    nodes: IntArray
    torsos: IntArray
    ball: bool

    @property
    def link_count(self) -> int:
        """Number of the links' frames, which come first."""
        return len(self.nodes) - self.ball

    @property
    def ball_row(self) -> int:
        """The row of the ball, if there is one."""
        return len(self.nodes) - 1

    def poses(self, world: Array) -> tuple[Array, Array]:
        """Return positions (K + R + 1, 3), m, and quaternions (K + R + 1, 4), w, x, y, z; without a ball one less.

        Args:
            world: (N, 4, 4) frames of all nodes, columns right, forward, up, position. Bodies have the axes forward,
                left, up; marks have the world's axes.
        """
        frames = world[self.nodes]
        axes = frames[:, :3, [1, 0, 2]] * (1.0, -1.0, 1.0)
        if self.ball:
            axes[-1] = frames[-1, :3, :3]
        positions = frames[:, :3, 3]
        marks = positions[self.torsos] * (1.0, 1.0, 0.0) + (0.0, 0.0, _MARK_HEIGHT)
        if self.ball:
            marks = np.vstack([marks, positions[-1] + (0.0, 0.0, _BALL_MARK_HEIGHT)])
        quaternions = quaternions_from_rotations(axes)[:, [3, 0, 1, 2]]
        upright = np.tile((1.0, 0.0, 0.0, 0.0), (len(marks), 1))
        return np.vstack([positions, marks]), np.vstack([quaternions, upright])


def scene_pose(bodies: BodyFrames, poses: BodyPoses) -> ScenePose:
    """The poses for a renderer, from poses that may be single precision."""
    links = bodies.link_count
    positions, quaternions = poses.positions.astype(np.float64), poses.quaternions.astype(np.float64)
    ball = positions[bodies.ball_row] if bodies.ball else None
    return ScenePose(positions[:links], quaternions[:links, [1, 2, 3, 0]], ball)


def body_frames(objects: SceneObjects) -> BodyFrames:
    """The frames of the links of all robots, in order, and of the ball."""
    nodes, torsos = list[int](), list[int]()
    for seen in objects.robots:
        torsos.append(len(nodes))
        nodes += [node for _, node in seen.links]
    if objects.ball is not None:
        nodes.append(objects.ball)
    return BodyFrames(np.array(nodes, np.int64), np.array(torsos, np.int64), objects.ball is not None)


def target_rows(objects: SceneObjects, bodies: BodyFrames) -> dict[str, int]:
    """Names of the targets that a camera can follow, with the rows of their frames."""
    rows: dict[str, int] = {TV: bodies.ball_row, BALL: bodies.ball_row} if bodies.ball else {}
    for index, row in enumerate(bodies.torsos.tolist()):
        rows.setdefault(target_name(objects, index), row)
    return rows


def target_name(objects: SceneObjects, index: int) -> str:
    """Name of a robot of the scene for people: `left 5`, else its own name, else its place, `robot 5`."""
    seen = objects.robots[index]
    return f"{seen.side.value} {seen.unum}" if seen.side and seen.unum else seen.name or f"robot {index + 1}"
