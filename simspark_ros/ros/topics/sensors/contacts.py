"""`foot_contacts` and `wrench/<link>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped

from simspark_ros.msg import FootContact, FootContacts
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import set_xyz, wrench_at_origin
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, interval_of

_ZERO = np.zeros(3)


class _Foot:
    """One force resistance perceptor: where its readings are, and the origin of its link."""

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        self.name, self.link = spec.name, spec.link
        self._handle, self._cycle = robot.handle, cycle
        self._centre = np.array(robot.description.model.link(spec.link).centre)

    def bind(self) -> None:
        _, self._flag = self._cycle.slot(self._handle, "force_resistance", self.name)
        self._values = self._cycle.values(self._handle, "force_resistance", self.name)

    def read(self) -> tuple[bool, Any, Any]:
        """Whether it touches, contact point (3,) in the link's frame (m) and force (3,) in the link's axes (N)."""
        percepts = self._cycle.percepts
        if not percepts.present[self._flag]:
            return False, _ZERO, _ZERO
        values = percepts.values[self._values]
        return True, values[:3] + self._centre, values[3:]


class FootContactsPublisher(TopicPublisher):
    """`foot_contacts` (simspark_ros/FootContacts): force resistance perceptors, each in the frame of its link.

    Contact point (m) and force (N), all entries always in the same order.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, specs: Sequence[PerceptorSpec]) -> None:
        message = FootContacts(contacts=[FootContact(name=spec.name) for spec in specs])
        super().__init__(robot.topic("foot_contacts"), message, cycle, robot.base_frame)
        self._feet = [_Foot(robot, cycle, spec) for spec in specs]

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, robot.perceptors("force_resistance"))]

    def adjust(self, robot: RobotEntry) -> None:
        self.interval = interval_of(robot.perceptors("force_resistance"))

    def bind(self) -> None:
        for foot in self._feet:
            foot.bind()

    def fill(self) -> bool:
        for contact, foot in zip(self.message.contacts, self._feet, strict=True):
            contact.touching, point, force = foot.read()
            set_xyz(contact.point, point.tolist())
            set_xyz(contact.force, force.tolist())
        return True


class WrenchPublisher(TopicPublisher):
    """`wrench/<link>` (geometry_msgs/WrenchStamped): force on a foot (N), torque about its frame's origin (N m)."""

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        super().__init__(robot.topic(f"wrench/{spec.link}"), WrenchStamped(), cycle, robot.frame(spec.link))
        self._foot = _Foot(robot, cycle, spec)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec) for spec in robot.perceptors("force_resistance")]

    def adjust(self, robot: RobotEntry) -> None:
        self.interval = interval_of([robot.perceptor("force_resistance", self._foot.name)])

    def bind(self) -> None:
        self._foot.bind()

    def fill(self) -> bool:
        _, point, force = self._foot.read()
        set_xyz(self.message.wrench.force, force.tolist())
        set_xyz(self.message.wrench.torque, wrench_at_origin(point, force).tolist())
        return True
