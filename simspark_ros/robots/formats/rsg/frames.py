"""Poses of nodes, turned from SimSpark's axes (x right, y forward) to ours (x forward, y left)."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform, rotation_about
from simspark_ros.physics.model import Vector
from simspark_ros.robots.formats.rsg.nodes import Node

_TURN = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def turned(vector: tuple[float, ...]) -> Array:
    """A vector (3,) in our axes."""
    result: Array = _TURN @ np.array(vector, float)
    return result


def turned_box(size: tuple[float, ...]) -> Vector:
    """Edges of a box along our axes."""
    x, y, z = size
    return (y, x, z)


def pose_in_scene(node: Node) -> Transform:
    """Pose of a node in the scene, in our axes."""
    pose = Transform()
    walked: Node | None = node
    while walked is not None:
        pose = _own(walked) @ pose
        walked = walked.parent
    return pose


def _own(node: Node) -> Transform:
    """Pose of a node in its parent, from `setLocalPos`, `setLocalRotation` and `setLocalTransform`."""
    whole = node.numbers("setLocalTransform", 16)
    if whole is not None:
        # The file lists a matrix by columns.
        matrix = np.array(whole).reshape(4, 4).T
        return Transform(_TURN @ matrix[:3, :3] @ _TURN.T, turned(tuple(matrix[:3, 3])))
    place = node.numbers("setLocalPos", 3) or node.numbers("setLocalPosition", 3) or (0.0, 0.0, 0.0)
    place = node.numbers("setPosition", 3) or place
    angles = node.numbers("setLocalRotation", 3) or node.numbers("setRotation", 3) or (0.0, 0.0, 0.0)
    turn = np.eye(3)
    for axis, angle in zip(_AXES, angles, strict=True):
        turn = turn @ rotation_about(axis, float(np.radians(angle)))
    return Transform(_TURN @ turn @ _TURN.T, turned(place))
