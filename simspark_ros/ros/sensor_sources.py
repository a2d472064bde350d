"""Sources of sensors' features for programs on a network: topics, and functions that read their messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.perceptors.base import Perceptor, Topic
from simspark_ros.perceptors.detection.features import of_boxes, of_line_pixels, of_lines, of_places, of_robots
from simspark_ros.perceptors.laser_objects import OBJECTS
from simspark_ros.perceptors.readings import Detected
from simspark_ros.perceptors.sight_features import features_of_lines, features_of_sight
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import xyz, xyzw
from simspark_ros.ros.topics.publisher import below
from simspark_ros.ros.topics.vision.levels import LEVELS
from simspark_ros.sensors.feature import Feature

Values = Mapping[str, Array]
"""Values of features, by name."""


@dataclass(frozen=True)
class TopicSource:
    """A topic below a robot's namespace.

    Attributes:
        kind: type of its messages.
        read: function from a message to the values of features.
    """

    kind: str
    topic: str
    read: Callable[[Any], Values]


_TOPICS = {"image": "image_raw", "depth": "depth/image_raw", "labels": "segmentation/image_raw"}
"""Topics of a camera's features, below the camera's name."""

_PIXELS: dict[str, tuple[np.dtype[Any], int]] = {
    "rgb8": (np.dtype("u1"), 3),
    "bgr8": (np.dtype("u1"), 3),
    "mono8": (np.dtype("u1"), 1),
    "16UC1": (np.dtype("u2"), 1),
    "32FC1": (np.dtype("f4"), 1),
}
"""Type and count of the numbers of a pixel, by encoding of sensor_msgs/Image."""


def source_of(spec: PerceptorSpec, perceptor: type[Perceptor], feature: str, base: str) -> TopicSource | None:
    """The source of a sensor's feature, on a robot with a base link of that name; None = no topic has it."""
    place = "imu" if spec.link in ("", base) else f"imu/{spec.link}"
    match spec.kind, feature:
        case "camera", _:
            return source_of_camera(spec, feature)
        case "detections", _:
            return source_of_detections(spec, feature)
        case "restricted_vision", "line_distance" | "line_angle":
            return TopicSource("simspark_ros/msg/SeenLines", "seen_lines", _of_seen_lines)
        case "restricted_vision", _:
            return TopicSource("simspark_ros/msg/SeenObjects", "seen_objects", _of_sight)
        case "odometry", _:
            return TopicSource("nav_msgs/msg/Odometry", below(spec, "odometry"), _of_odometry)
        case "gyroscope" | "accelerometer", _:
            return TopicSource("sensor_msgs/msg/Imu", f"{place}/data_raw", _of_imu)
        case "laser_objects", "pose":
            return TopicSource("geometry_msgs/msg/PoseWithCovarianceStamped", below(spec, "laser_pose"), _pose)
        case "laser_objects", _:
            return TopicSource("geometry_msgs/msg/PoseArray", below(spec, "laser_robots"), _of_laser_robots)
    return _declared_source(spec, perceptor)


def source_of_camera(spec: PerceptorSpec, feature: str) -> TopicSource:
    """The topic with a feature of a camera."""
    return TopicSource("sensor_msgs/msg/Image", f"{spec.name}/{_TOPICS[feature]}", partial(_of_image, feature))


def _of_image(feature: str, message: Any) -> Values:
    """A picture (height, width, C); a UserError if its encoding is not known."""
    if message.encoding not in _PIXELS:
        known = ", ".join(_PIXELS)
        raise UserError(f"pictures in the encoding '{message.encoding[:40]}' cannot be read; use one of {known}")
    number, channels = _PIXELS[message.encoding]
    number = number.newbyteorder(">" if message.is_bigendian else "<")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    # A driver may have more bytes in a row than its pixels need.
    used = np.ascontiguousarray(rows[:, : message.width * channels * number.itemsize])
    picture = used.view(number).reshape(message.height, message.width, channels)
    return {feature: (picture[..., ::-1] if message.encoding == "bgr8" else picture).astype(np.float64)}


def source_of_detections(spec: PerceptorSpec, feature: str) -> TopicSource:
    """The topic with a feature of a detector."""
    topic, read = _READERS[feature]
    level = next(one for one in LEVELS if one.topic == topic)
    return TopicSource(level.type_name, below(spec, topic), read)


def _declared_source(spec: PerceptorSpec, perceptor: type[Perceptor]) -> TopicSource | None:
    """The first topic of a sensor whose fields are declared."""
    for topic in perceptor.topics_of(spec):
        if topic.fields:
            return TopicSource(
                topic.type, topic.name_of(spec), partial(_of_declared, topic, perceptor.features_of(spec))
            )
    return None


def _of_declared(topic: Topic, features: Sequence[Feature], message: Any) -> Values:
    """The columns of features from the fields of a message."""
    columns: dict[str, float] = {}
    for path, names in topic.fields.items():
        value = message
        for step in path.split("."):
            value = getattr(value, step)
        factor = topic.factors.get(path, 1.0)
        several = (names, value) if isinstance(names, tuple) else ((names,), (value,))
        columns.update((name, one / factor) for name, one in zip(*several, strict=False))
    return {one.name: np.array([columns.get(name, math.nan) for name in one.columns]) for one in features}


def _of_odometry(message: Any) -> Values:
    twist = message.twist.twist
    return {
        "odometry_pose": flat_pose(message.pose.pose),
        "odometry_velocity": np.array([twist.linear.x, twist.linear.y, twist.angular.z]),
    }


def _of_sight(message: Any) -> Values:
    polar = zip(message.ranges, message.bearings, message.elevations, strict=True)
    return features_of_sight(dict(zip(message.names, polar, strict=True)))


def _of_seen_lines(message: Any) -> Values:
    ends = np.array([message.ranges, message.bearings, message.elevations]).T
    return features_of_lines(ends.reshape(-1, 2, 3))


def _of_imu(message: Any) -> Values:
    turns, pushes = message.angular_velocity, message.linear_acceleration
    return {
        "gyroscope": np.array([turns.x, turns.y, turns.z]),
        "accelerometer": np.array([pushes.x, pushes.y, pushes.z]),
    }


def _of_laser_robots(message: Any) -> Values:
    table = np.full((2, OBJECTS), np.nan)
    for column, pose in enumerate(message.poses[:OBJECTS]):
        x, y, _ = flat_pose(pose)
        table[:, column] = math.hypot(x, y), math.atan2(y, x)
    return {"robot_distance": table[0], "robot_angle": table[1]}


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


def flat_pose(pose: Any) -> Array:
    """x, y and heading (3,) of a geometry_msgs/Pose, m and rad."""
    x, y, z, w = xyzw(pose.orientation)
    heading = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.array([pose.position.x, pose.position.y, heading])


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
