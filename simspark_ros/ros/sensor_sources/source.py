"""Sources of features: topics, and functions that read their messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array

Values = Mapping[str, Array]
"""Values of features, by name."""


@dataclass(frozen=True)
class TopicSource:
    """A topic below a robot's namespace.

    Attributes:
        kind: type of its messages.
        read: gives the values of features from a message.
    """

    kind: str
    topic: str
    read: Callable[[Any], Values]


def flat_pose(pose: Any) -> Array:
    """x, y and heading (3,) of a geometry_msgs/Pose, m and rad."""
    x, y, z, w = (getattr(pose.orientation, axis) for axis in "xyzw")
    heading = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.array([pose.position.x, pose.position.y, heading])


def xyz(point: Any) -> tuple[float, float, float]:
    """The three numbers of a Point or Vector3."""
    return point.x, point.y, point.z
