"""Topics of a scanner's software, for robots with a sensor `laser_objects`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose, PoseArray, PoseWithCovarianceStamped

from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.laser_objects import OBJECTS, LaserObjectsParameters
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import MAP, diagonal_6, set_heading
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, below

KIND = "laser_objects"


class _LaserObjectsPublisher(TopicPublisher):
    """Base: sent when a scan is due."""

    name = ""

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec, message: Any, frame: str) -> None:
        super().__init__(robot.topic(below(spec, self.name)), message, cycle, frame)
        self.perceptor = self._key = robot.handle, spec.kind, spec.name

    def bind(self) -> None:
        self._values, self._flag = self.cycle.values(*self._key), self.cycle.slot(*self._key)[1]

    def fill(self) -> bool:
        percepts = self.cycle.percepts
        if not percepts.present[self._flag]:
            return False
        self._write(percepts.values[self._values])
        return True

    def _write(self, values: Any) -> None:
        raise NotImplementedError


class LaserRobotsPublisher(_LaserObjectsPublisher):
    """`laser_robots` (geometry_msgs/PoseArray): the nearest points of robots in a scan, x away from the scanner."""

    name = "laser_robots"

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec, PoseArray(), robot.frame(spec.link)) for spec in robot.perceptors(KIND)]

    def _write(self, values: Any) -> None:
        distances, bearings, _ = values[3:].reshape(3, OBJECTS)
        self.message.poses = [
            _pose(distance * math.cos(bearing), distance * math.sin(bearing), bearing)
            for distance, bearing in zip(distances.tolist(), bearings.tolist(), strict=True)
            if math.isfinite(distance)
        ]


class LaserPosePublisher(_LaserObjectsPublisher):
    """`laser_pose` (geometry_msgs/PoseWithCovarianceStamped): where the scanner's software believes the robot is."""

    name = "laser_pose"

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        made = [cls(robot, cycle, spec, PoseWithCovarianceStamped(), MAP) for spec in robot.perceptors(KIND)]
        for publisher in made:
            publisher.adjust(robot)
        return made

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        options = build(LaserObjectsParameters, dict(spec.parameters), spec.name)
        place, heading = options.position_noise**2, math.radians(options.heading_noise_deg) ** 2
        self.message.pose.covariance = diagonal_6(np.array([place, place, 0.0, 0.0, 0.0, heading]))

    def _write(self, values: Any) -> None:
        self.message.pose.pose = _pose(*values[:3].tolist())


def _pose(x: float, y: float, heading: float) -> Pose:
    pose = Pose()
    pose.position.x, pose.position.y = x, y
    set_heading(pose.orientation, heading)
    return pose
