"""`joint_states`, `battery_state`, and the topics of realistic motors: `motors/...`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout, UInt8MultiArray

from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.worlds.power import PowerReading


class JointStatePublisher(TopicPublisher):
    """`joint_states` (sensor_msgs/JointState): position, velocity and effort of all joints; rad, rad/s, N m.

    Prismatic joints in m, m/s, N. Hinge and universal joint perceptors report the same positions.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        names = [joint.name for joint in robot.description.model.joints]
        zeros = [0.0] * len(names)
        message = JointState(name=names, position=zeros, velocity=zeros, effort=zeros)
        super().__init__(robot.topic("joint_states"), message, cycle)
        self._handle = robot.handle
        # Views of the message's own memory: nothing is copied number by number.
        self._position = np.frombuffer(message.position)
        self._velocity = np.frombuffer(message.velocity)
        self._effort = np.frombuffer(message.effort)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic, also for a robot without joints."""
        return [cls(robot, cycle)]

    def bind(self) -> None:
        self._joints = self.cycle.joints(self._handle)

    def fill(self) -> bool:
        state = self.cycle.state
        self._position[:] = state.joint_position[self._joints]
        self._velocity[:] = state.joint_velocity[self._joints]
        self._effort[:] = state.joint_effort[self._joints]
        return True


_NOT_MEASURED = ("voltage", "temperature", "current", "charge", "capacity", "design_capacity")
_SECONDS_PER_HOUR = 3600.0


class BatteryPublisher(TopicPublisher):
    """`battery_state` (sensor_msgs/BatteryState): the charge that the perceptor `agent_state` reports.

    With realistic motors also voltage (V), current (A, negative: discharging), charge and capacity (Ah). Values that
    are not measured are NaN, by the message's definition.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        message = BatteryState(present=True, **dict.fromkeys(_NOT_MEASURED, math.nan))
        super().__init__(robot.topic("battery_state"), message, cycle, robot.frame(spec.link))
        self._handle, self._name = robot.handle, spec.name

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic, for the first `agent_state` perceptor."""
        return [cls(robot, cycle, spec) for spec in robot.perceptors("agent_state")[:1]]

    def bind(self) -> None:
        self._charge = self.cycle.values(self._handle, "agent_state", self._name).start + 1

    def fill(self) -> bool:
        message, drive = self.message, _reading(self.cycle, self._handle)
        message.percentage = float(self.cycle.percepts.values[self._charge]) / 100.0
        if drive is not None:
            battery = drive.data.battery
            message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
            message.voltage, message.current = battery.voltage, -drive.battery_current
            message.capacity = message.design_capacity = battery.energy / battery.voltage / _SECONDS_PER_HOUR
            message.charge = message.percentage * message.capacity
        return True


class MotorPublisher(TopicPublisher):
    """`motors/temperature` (degrees Celsius), `motors/current` (A), `motors/stiffness` (0 to 1) and `motors/status`.

    std_msgs/Float64MultiArray, and UInt8MultiArray for the status: 0 = normal, 1 = high, 2 = very hot, 3 = shut down.
    Values are in the order of `joint_states`. Only robots with realistic motors have these topics.
    """

    def __init__(
        self, robot: RobotEntry, cycle: Cycle, name: str, kind: Any, read: Callable[[PowerReading, Array], list[Any]]
    ) -> None:
        joints = len(robot.description.model.joints)
        layout = MultiArrayLayout(dim=[MultiArrayDimension(label="joint", size=joints, stride=joints)])
        super().__init__(robot.topic(f"motors/{name}"), kind(layout=layout), cycle)
        self._handle, self._read = robot.handle, read

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """Four topics, none for ideal motors."""
        if robot.description.motors != "realistic":
            return []
        return [
            cls(robot, cycle, "temperature", Float64MultiArray, lambda drive, stiffness: drive.temperature.tolist()),
            cls(robot, cycle, "current", Float64MultiArray, lambda drive, stiffness: drive.current.tolist()),
            cls(robot, cycle, "stiffness", Float64MultiArray, lambda drive, stiffness: stiffness.tolist()),
            cls(robot, cycle, "status", UInt8MultiArray, lambda drive, stiffness: drive.status.tolist()),
        ]

    def fill(self) -> bool:
        drive, world = _reading(self.cycle, self._handle), self.cycle.world
        if drive is None or world is None:
            return False
        self.message.data = self._read(drive, world.motors.stiffness[self.cycle.joints(self._handle)])
        return True


def _reading(cycle: Cycle, handle: int) -> PowerReading | None:
    return cycle.world.power.reading(cycle.world.robots[handle]) if cycle.world is not None else None
