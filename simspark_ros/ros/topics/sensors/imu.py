"""`imu/data_raw` and `imu/data`, and the same below `imu/<link>/`."""

from __future__ import annotations

from collections.abc import Sequence

from sensor_msgs.msg import Imu

from simspark_ros.perceptors.inertial import LEAST_DEVIATION
from simspark_ros.physics.engine import Array, LinkSelection
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import covariance, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, interval_of

NOT_REPORTED = [-1.0, *[0.0] * 8]
"""Covariance of a field that a message does not report (REP-145)."""

Carried = dict[str, PerceptorSpec]
"""The inertial perceptors of one link by kind."""


class ImuPublisher(TopicPublisher):
    """`imu/data_raw` and `imu/data` (sensor_msgs/Imu): readings of gyroscope and accelerometer of the base link.

    Angular velocity in rad/s, specific force in m/s2 (+g upward at rest, REP-145). `imu/data` has the true orientation
    of the base link in `map` as well; `imu/data_raw` reports none. Each other link or frame that carries either
    perceptor has the two topics below `imu/<link>/`; a message has the readings of its link's perceptors.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, link: str, carried: Carried, orientation: bool) -> None:
        below = f"{link}/" if link else ""
        topic = robot.topic(f"imu/{below}data" if orientation else f"imu/{below}data_raw")
        super().__init__(topic, Imu(), cycle, robot.frame(link))
        self._handle, self._orientation, self._carried, self._link = robot.handle, orientation, carried, link
        self._links: LinkSelection | None = None
        self.message.orientation_covariance = covariance(LEAST_DEVIATION) if orientation else NOT_REPORTED
        self.adjust(robot)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """Topics of the first gyroscope and the first accelerometer of each link, without and with orientation."""
        base = robot.description.model.base.name
        links: dict[str, Carried] = {}
        for kind in ("gyroscope", "accelerometer"):
            for spec in robot.perceptors(kind):
                links.setdefault("" if spec.link == base else spec.link, {}).setdefault(kind, spec)
        return [
            cls(robot, cycle, link, carried, oriented) for link, carried in links.items() for oriented in (False, True)
        ]

    def adjust(self, robot: RobotEntry) -> None:
        now = {kind: robot.perceptor(kind, spec.name) for kind, spec in self._carried.items()}
        self.message.angular_velocity_covariance = _covariance_of(now.get("gyroscope"))
        self.message.linear_acceleration_covariance = _covariance_of(now.get("accelerometer"))
        self.interval = interval_of(now.values())

    def bind(self) -> None:
        self._row = self.cycle.row(self._handle)
        if self._orientation and self._link:
            assert self.cycle.world is not None
            self._links = self.cycle.world.engine.select_links([(self._handle, self._link)])
        fields = {"gyroscope": self.message.angular_velocity, "accelerometer": self.message.linear_acceleration}
        self._places = [
            (fields[kind], self.cycle.values(self._handle, kind, spec.name)) for kind, spec in self._carried.items()
        ]

    def fill(self) -> bool:
        values = self.cycle.percepts.values
        for field, place in self._places:
            set_xyz(field, values[place].tolist())
        if self._orientation:
            set_quaternion(self.message.orientation, self._quaternion().tolist())
        return True

    def _quaternion(self) -> Array:
        """Orientation (4,) of the link or frame in `map`; x, y, z, w."""
        if self._links is None:
            base: Array = self.cycle.link_quaternions[self._row]
            return base
        assert self.cycle.world is not None
        _, rotations = self.cycle.world.engine.link_poses(self._links)
        own: Array = quaternions_from_rotations(rotations)[0]
        return own


def _covariance_of(spec: PerceptorSpec | None) -> list[float]:
    return NOT_REPORTED if spec is None else covariance(max(LEAST_DEVIATION, float(spec.parameters.get("noise", 0.0))))
