"""`odometry` of robots with a sensor of that kind."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nav_msgs.msg import Odometry

from simspark_ros.configuration.schema import build
from simspark_ros.motion.drift import Drift, DriftRate
from simspark_ros.perceptors.odometry import OdometryParameters
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import set_heading
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.odometry import Covariances
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, below, interval_of

KIND = "odometry"


class OdometrySensorPublisher(TopicPublisher):
    """`odometry` (nav_msgs/Odometry): the pose that a robot believes in, with the sensor's errors by the robot's file.

    The frame has the sensor's name and begins where the robot was when it came; no transform says where that is.
    Covariances grow as the errors do that the robot's file asks for.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        message = Odometry(child_frame_id=robot.base_frame)
        super().__init__(robot.topic(below(spec, KIND)), message, cycle, f"{robot.prefix}{spec.name}")
        self._key = robot.handle, spec.kind, spec.name
        self._covariances, self._place = Covariances(message), (0.0, 0.0, 0.0)
        self._drift = Drift(_rate_of(spec))
        self.interval = interval_of([spec])

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec) for spec in robot.perceptors(KIND)]

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        self.interval, self._drift.rate = interval_of([spec]), _rate_of(spec)

    def bind(self) -> None:
        self._values = self.cycle.values(*self._key)

    def fill(self) -> bool:
        x, y, heading, forward, left, turn = self.cycle.percepts.values[self._values].tolist()
        pose, twist = self.message.pose.pose, self.message.twist.twist
        pose.position.x, pose.position.y = x, y
        set_heading(pose.orientation, heading)
        twist.linear.x, twist.linear.y, twist.angular.z = forward, left, turn
        before, self._place = self._place, (x, y, heading)
        self._drift.move(x - before[0], y - before[1], math.remainder(heading - before[2], 2.0 * math.pi))
        self._covariances.fill(self._drift, self.cycle.elapsed)
        return True


def _rate_of(spec: PerceptorSpec) -> DriftRate:
    options = build(OdometryParameters, dict(spec.parameters), spec.name)
    return DriftRate(
        options.distance_noise,
        math.radians(options.heading_noise_deg),
        math.radians(options.turn_noise_deg) / math.sqrt(2.0 * math.pi),
    )
