"""Poses of everything that moves, and poses between two pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array

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
