"""The source of each feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from simspark_ros.perceptors.base import Perceptor, Topic
from simspark_ros.perceptors.laser_objects import OBJECTS
from simspark_ros.perceptors.sight_features import features_of_lines, features_of_sight
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.sensor_sources.detections import source_of_detections
from simspark_ros.ros.sensor_sources.images import source_of_camera
from simspark_ros.ros.sensor_sources.source import TopicSource, Values, flat_pose
from simspark_ros.ros.topics.publisher import below
from simspark_ros.sensors.feature import Feature


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
            return TopicSource("geometry_msgs/msg/PoseWithCovarianceStamped", below(spec, "laser_pose"), _of_laser_pose)
        case "laser_objects", _:
            return TopicSource("geometry_msgs/msg/PoseArray", below(spec, "laser_robots"), _of_laser_robots)
    return _declared_source(spec, perceptor)


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


def _of_laser_pose(message: Any) -> Values:
    return {"pose": flat_pose(message.pose.pose)}


def _of_laser_robots(message: Any) -> Values:
    table = np.full((2, OBJECTS), np.nan)
    for column, pose in enumerate(message.poses[:OBJECTS]):
        x, y, _ = flat_pose(pose)
        table[:, column] = math.hypot(x, y), math.atan2(y, x)
    return {"robot_distance": table[0], "robot_angle": table[1]}
