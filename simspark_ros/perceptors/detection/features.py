"""Features of a detector in the container of sensors: its finds in the picture, in space and on the field.

Things that are not found are NaN. Things of a kind, and lines, have no order: no column belongs to a certain thing.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from simspark_ros.perceptors.laser_objects import OBJECTS, POSE
from simspark_ros.perceptors.readings import Detected, Detections
from simspark_ros.perceptors.sight_features import LINE_FEATURES, LINES, features_of_lines, filled, polar
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.sensors.feature import Feature

MOST = {Detected.BALL: 1, Detected.GOALPOST: OBJECTS, Detected.ROBOT: OBJECTS}
"""Largest number of things of each kind that are reported."""

BOX = ("left", "top", "right", "bottom")


def _columns(things: str, count: int, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Names like `robot3_left`."""
    return tuple(f"{things}{number}_{part}" for number, part in product(range(count), parts))


def _of_kind(kind: Detected) -> tuple[Feature, ...]:
    name, most = kind.name.lower(), MOST[kind]
    if most == 1:
        # The only ball is always the same thing, so that a robot can learn where to expect it.
        return (
            Feature(f"{name}_box", BOX),
            Feature(f"{name}_distance", (name,), "distance"),
            Feature(f"{name}_angle", (name,), "angle"),
        )
    names = tuple(f"{name}{number}" for number in range(most))
    return (
        Feature(f"{name}_box", _columns(name, most, BOX)),
        Feature(f"{name}_distance", names),
        Feature(f"{name}_angle", names),
    )


DETECTION_FEATURES = (
    *(feature for kind in Detected for feature in _of_kind(kind)),
    Feature("line_pixels", _columns("line", LINES, ("column1", "row1", "column2", "row2"))),
    *LINE_FEATURES,
    Feature("ball_position", ("x", "y", "z")),
    Feature("robot_pose", _columns("robot", OBJECTS, POSE)),
    Feature("pose", POSE),
)
"""Boxes and lines of the picture, pixels; distances in the plane of the detector's frame (m) and angles to the left of
its x axis (rad); in `map` the ball, robots, and the robot itself (m, rad)."""


def features_of_detections(found: Detections) -> dict[str, Array]:
    """Values of `DETECTION_FEATURES` by name."""
    values: dict[str, Array] = {}
    for kind in Detected:
        own = found.kind == kind
        values |= of_boxes(kind, found.box[own]) | of_places(kind, found.position[own])
    robots = found.kind == Detected.ROBOT
    balls = found.in_map[found.kind == Detected.BALL]
    x, y, _ = found.pose[:, 3]
    return {
        **values,
        **of_line_pixels(found.line_pixels),
        **of_lines(found.lines),
        "ball_position": filled(balls, 1),
        **of_robots(np.column_stack((found.in_map[robots, :2], found.heading[robots]))),
        "pose": np.array([x, y, heading_of(found.pose[:, :3])]),
    }


def of_boxes(kind: Detected, boxes: Array) -> dict[str, Array]:
    """The feature of the picture, from (K, 4) boxes of things."""
    return {f"{kind.name.lower()}_box": filled(boxes.reshape(-1, len(BOX)), MOST[kind])}


def of_places(kind: Detected, positions: Array) -> dict[str, Array]:
    """The features in space, from (K, 3) positions of things, m."""
    distance, angle, _ = polar(positions.reshape(-1, 3)).T
    name, most = kind.name.lower(), MOST[kind]
    return {f"{name}_distance": filled(distance[:, None], most), f"{name}_angle": filled(angle[:, None], most)}


def of_line_pixels(ends: Array) -> dict[str, Array]:
    """The feature of lines in the picture, from (L, 2, 2) ends."""
    return {"line_pixels": filled(ends.reshape(-1, 4), LINES)}


def of_lines(ends: Array) -> dict[str, Array]:
    """The features of lines in space, from (L, 2, 3) ends, m."""
    return features_of_lines(polar(ends.reshape(-1, 3)).reshape(-1, 2, 3))


def of_robots(poses: Array) -> dict[str, Array]:
    """The feature of robots on the field, from (K, 3) poses."""
    return {"robot_pose": filled(poses.reshape(-1, len(POSE)), OBJECTS)}
