"""Detections from the messages of vision software on three levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from simspark_ros.perceptors.detection.features import of_boxes, of_line_pixels, of_lines, of_places, of_robots
from simspark_ros.perceptors.readings import Detected
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.sensor_sources.source import TopicSource, Values, flat_pose, xyz
from simspark_ros.ros.topics.publisher import below
from simspark_ros.ros.topics.vision.levels import LEVELS

_ENTRIES = {Detected.BALL: "balls", Detected.GOALPOST: "posts", Detected.ROBOT: "robots"}


def _boxes(kind: Detected, message: Any) -> Values:
    boxes = []
    for entry in getattr(message, _ENTRIES[kind]):
        middle, width, height = entry.bb.center.position, entry.bb.size_x, entry.bb.size_y
        boxes.append([middle.x - width / 2, middle.y - height / 2, middle.x + width / 2, middle.y + height / 2])
    return of_boxes(kind, np.array(boxes))


def _places(kind: Detected, message: Any) -> Values:
    entries = getattr(message, _ENTRIES[kind])
    centres = (one.center if kind == Detected.BALL else one.bb.center.position for one in entries)
    return of_places(kind, np.array([xyz(centre) for centre in centres]))


def _line_pixels(message: Any) -> Values:
    return of_line_pixels(np.array([[one.start.x, one.start.y, one.end.x, one.end.y] for one in message.segments]))


def _lines(message: Any) -> Values:
    return of_lines(np.array([[xyz(one.start), xyz(one.end)] for one in message.segments]))


def _ball(message: Any) -> Values:
    return {"ball_position": np.array(xyz(message.point.point))}


def _robots(message: Any) -> Values:
    return of_robots(np.array([flat_pose(one.pose.pose) for one in message.robots]))


def _pose(message: Any) -> Values:
    return {"pose": flat_pose(message.pose.pose)}


_READERS: Mapping[str, tuple[str, Callable[[Any], Values]]] = MappingProxyType(
    {
        "ball_box": ("vision_2d/balls", partial(_boxes, Detected.BALL)),
        "goalpost_box": ("vision_2d/goalposts", partial(_boxes, Detected.GOALPOST)),
        "robot_box": ("vision_2d/robots", partial(_boxes, Detected.ROBOT)),
        "line_pixels": ("vision_2d/markings", _line_pixels),
        **dict.fromkeys(("ball_distance", "ball_angle"), ("vision_3d/balls", partial(_places, Detected.BALL))),
        **dict.fromkeys(
            ("goalpost_distance", "goalpost_angle"), ("vision_3d/goalposts", partial(_places, Detected.GOALPOST))
        ),
        **dict.fromkeys(("robot_distance", "robot_angle"), ("vision_3d/robots", partial(_places, Detected.ROBOT))),
        **dict.fromkeys(("line_distance", "line_angle"), ("vision_3d/markings", _lines)),
        "ball_position": ("model/ball", _ball),
        "robot_pose": ("model/robots", _robots),
        "pose": ("model/pose", _pose),
    }
)
"""Topic and reader of each feature."""


def source_of_detections(spec: PerceptorSpec, feature: str) -> TopicSource:
    """The topic with a feature of a detector."""
    topic, read = _READERS[feature]
    level = next(one for one in LEVELS if one.topic == topic)
    return TopicSource(level.type_name, below(spec, topic), read)
