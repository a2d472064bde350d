"""Robots with realistic motors: their batteries, and the readings of both for sensors and topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl
from simspark_ros.robots.motors.data import MotorData
from simspark_ros.robots.motors.realistic import RealisticMotors
from simspark_ros.worlds.robot import Robot


class PowerReading(NamedTuple):
    """The drive of one robot in the last step; arrays (J_robot,) are by joint of its model.

    Attributes:
        has_motor: whether each joint has a realistic motor; other joints read 0 and the mean temperature.
        temperature: temperatures, degrees Celsius.
        current: currents, A, at least 0.
        status: statuses, 0 = normal, 1 = high, 2 = very hot, 3 = shut down.
        power: electric power of the whole robot, W.
        data: data of motors and battery.
    """

    has_motor: BoolArray
    temperature: Array
    current: Array
    status: IntArray
    power: float
    data: MotorData

    @property
    def battery_current(self) -> float:
        """Current out of the battery, A."""
        return self.power / self.data.battery.voltage


class Power:
    """The realistic motors of a world and the batteries that feed them; costs nothing without such motors.

    Attributes:
        robots: robots with realistic motors, in row order. This object sets their `battery`, the charge, and their
            `temperature`, the temperature of the hottest motor.
    """

    def __init__(self) -> None:
        self.robots: list[Robot] = []
        self.motors = RealisticMotors()
        self._rows: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._energy: Array = np.zeros(0)

    def rebind(self, state: EngineState, all_robots: Iterable[Robot]) -> None:
        """Follow a change of the set of robots, given in row order."""
        robots = [robot for robot in all_robots if robot.description.motors == "realistic"]
        if not robots and not self.robots:
            return
        data = {robot.handle: _data(robot) for robot in robots}
        self.motors.rebind(state, data)
        self.robots = robots
        self._rows = {robot.handle: row for row, robot in enumerate(robots)}
        self._energy = np.array([own.battery.energy for own in data.values()])
        self._first = {robot.handle: int(state.joint_offset[state.row(robot.handle)]) for robot in robots}
        for robot in robots:
            self._tell_temperature(robot)

    def limited(self, control: JointControl, state: EngineState, stiffness: Array) -> JointControl:
        """The control of the next step, cut to what motors and batteries can do; arguments as in `RealisticMotors`."""
        is_empty = np.array([robot.battery <= 0.0 for robot in self.robots], np.bool_)
        return self.motors.limited(control, state, stiffness, is_empty)

    def advance(self, state: EngineState, seconds: float) -> None:
        """Heat the motors and drain the batteries by a step of that length, s."""
        motors = self.motors
        motors.advance(state, seconds)
        used = 100.0 * motors.power * seconds / self._energy
        for robot, percent in zip(self.robots, used.tolist(), strict=True):
            robot.battery = max(0.0, robot.battery - percent)
            self._tell_temperature(robot)

    def reading(self, robot: Robot) -> PowerReading | None:
        """The reading of a robot's drive; None if its servos are ideal."""
        row = self._rows.get(robot.handle)
        if row is None:
            return None
        motors, own = self.motors, self.motors.of_robot(row)
        joints = motors.index[own] - self._first[robot.handle]
        count = len(robot.description.model.joints)
        has_motor = np.zeros(count, np.bool_)
        has_motor[joints] = True
        temperature = np.full(count, motors.temperature[own].mean() if len(joints) else robot.temperature)
        current, status = np.zeros(count), np.zeros(count, np.int64)
        temperature[joints], current[joints] = motors.temperature[own], np.abs(motors.current[own])
        status[joints] = motors.status[own]
        return PowerReading(has_motor, temperature, current, status, float(motors.power[row]), _data(robot))

    def reset(self, robot: Robot) -> None:
        """Cool down the motors of a robot."""
        if robot.handle in self._rows:
            self.motors.cool(self._rows[robot.handle])
            self._tell_temperature(robot)

    def heat(self, robot: Robot) -> None:
        """Give all motors of a robot the robot's temperature."""
        if robot.handle in self._rows:
            self.motors.heat(self._rows[robot.handle], robot.temperature)

    @property
    def hashed(self) -> tuple[Array | BoolArray, ...]:
        """The state on which the motors' future depends; empty without realistic motors."""
        return self.motors.remembered if self.robots else ()

    def _tell_temperature(self, robot: Robot) -> None:
        own = self.motors.of_robot(self._rows[robot.handle])
        if own.start < own.stop:
            robot.temperature = float(self.motors.temperature[own].max())


def _data(robot: Robot) -> MotorData:
    data = robot.description.motor_data
    assert data is not None
    return data
