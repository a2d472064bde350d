"""`imu/data_raw` and `imu/data`."""

from __future__ import annotations

from collections.abc import Sequence

from sensor_msgs.msg import Imu

from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import covariance, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher

NOT_REPORTED = [-1.0, *[0.0] * 8]
"""Covariance of a field that a message does not report (REP-145)."""


class ImuPublisher(TopicPublisher):
    """`imu/data_raw` and `imu/data` (sensor_msgs/Imu): gyroscope and accelerometer as perceived, in the base link.

    Angular velocity in rad/s, specific force in m/s2 (+g upward at rest, REP-145). `imu/data` has the true orientation
    of the base link in `map` as well; `imu/data_raw` reports none. Robots with both perceptors have these topics.
    """

    def __init__(
        self, robot: RobotEntry, cycle: Cycle, gyroscope: PerceptorSpec, accelerometer: PerceptorSpec, orientation: bool
    ) -> None:
        topic = robot.topic("imu/data" if orientation else "imu/data_raw")
        super().__init__(topic, Imu(), cycle, robot.frame(""))
        self.message.angular_velocity_covariance = covariance(float(gyroscope.parameters.get("noise", 0.0)))
        self.message.linear_acceleration_covariance = covariance(float(accelerometer.parameters.get("noise", 0.0)))
        self.message.orientation_covariance = covariance(0.0) if orientation else NOT_REPORTED
        self._handle, self._orientation = robot.handle, orientation
        self._names = gyroscope.name, accelerometer.name

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """Two topics of the first gyroscope and the first accelerometer."""
        gyroscopes, accelerometers = robot.perceptors("gyroscope"), robot.perceptors("accelerometer")
        if not (gyroscopes and accelerometers):
            return []
        return [cls(robot, cycle, gyroscopes[0], accelerometers[0], oriented) for oriented in (False, True)]

    def bind(self) -> None:
        gyroscope, accelerometer = self._names
        self._row = self.cycle.row(self._handle)
        self._gyroscope = self.cycle.values(self._handle, "gyroscope", gyroscope)
        self._accelerometer = self.cycle.values(self._handle, "accelerometer", accelerometer)

    def fill(self) -> bool:
        values = self.cycle.percepts.values
        set_xyz(self.message.angular_velocity, values[self._gyroscope].tolist())
        set_xyz(self.message.linear_acceleration, values[self._accelerometer].tolist())
        if self._orientation:
            set_quaternion(self.message.orientation, self.cycle.link_quaternions[self._row].tolist())
        return True
