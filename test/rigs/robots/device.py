"""A robot that is no simulation: a device measures and moves in its own thread, with its own clock."""

from __future__ import annotations

import math
import threading

import numpy as np

from simspark_ros.sensors.access import DrivenRobot
from simspark_ros.sensors.container import SensorData
from simspark_ros.sensors.feature import Feature

PERIOD = 0.01
"""Time between two measurements, s."""

GOAL = 9.0
"""Distance of the goal, before a wall, at the start, m."""

WHEEL_PER_TRACK = 0.3
"""Radius of a wheel by the distance of both."""

BEARINGS = np.radians(np.arange(-89.5, 90.0))


class Device:
    """A robot that drives along +x and turns on the spot, with a scanner, a sonar, odometry and vision, all in `robot`.

    Use as a context: it works until its end.
    """

    def __init__(self) -> None:
        columns = tuple(f"beam{number}" for number in range(len(BEARINGS)))
        self._scan = SensorData("laser", "laser", Feature("scan", columns, "distance"), "LMS200", BEARINGS)
        self._sonar = SensorData("range", "nose", Feature("range", ("range",), "distance"), "Pioneer", np.zeros(1))
        self._pose = SensorData("odometry", "odometry", Feature("odometry_pose", ("x", "y", "heading")))
        self._goal = SensorData("restricted_vision", "eye", Feature("goal_distance", ("left", "right"), "distance"))
        data = [self._scan, self._sonar, self._pose, self._goal]
        self.robot = DrivenRobot("metal", data, {"wheels": self._drive, "hinge": self._turn})
        self._speed, self._wheels = 0.0, [0.0, 0.0]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Device:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _drive(self, forward: float, left: float, turn: float) -> None:
        self._speed = forward

    def _turn(self, joint: int, velocity: float) -> None:
        self._wheels[joint] = velocity

    def _work(self) -> None:
        stamp = x = heading = 0.0
        while not self._ended.wait(PERIOD):
            stamp, x = stamp + PERIOD, x + self._speed * PERIOD
            heading += (self._wheels[1] - self._wheels[0]) * WHEEL_PER_TRACK * PERIOD
            ahead = (GOAL - x) / np.maximum(np.cos(BEARINGS), 1e-9)
            self.robot.put(self._scan, np.where(ahead < 20.0, ahead, np.inf), stamp)
            self.robot.put(self._sonar, np.array([GOAL - x]), stamp)
            self.robot.put(self._pose, np.array([x, 0.0, heading]), stamp)
            self.robot.put(self._goal, np.array([math.nan, GOAL - x]), stamp)
