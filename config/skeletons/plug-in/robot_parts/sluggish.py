"""A drive: two wheels whose robot nears the commanded velocity the more slowly the nearer it is."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.plugins import Array, Checked, Drive, Range, RobotDescription, Triple, Walk

CREEP = 1e-3
"""Speed below which a robot without a command stands, m/s and rad/s."""


@dataclass(frozen=True)
class SluggishParameters(Checked):
    """In the robot's file. left, right: joints of the wheels; radius, track: m; lag: time constant, s."""

    left: str
    right: str
    radius: Annotated[float, Range(0.001, 10.0, "m")]
    track: Annotated[float, Range(0.001, 10.0, "m")]
    lag: Annotated[float, Range(0.001, 10.0, "s")] = 0.3


class Sluggish(Drive):
    """The motion model v' = v + (1 - exp(-t / lag)) (u - v) of forward velocity and turn."""

    options = SluggishParameters

    def __init__(self, description: RobotDescription, parameters: SluggishParameters, cycle: float) -> None:
        super().__init__(description, parameters, cycle)
        names = [joint.name for joint in description.model.joints]
        self.joints = np.array([names.index(parameters.left), names.index(parameters.right)])
        self._share = 1.0 - math.exp(-cycle / parameters.lag)
        half = parameters.track / 2.0
        # Rim speeds by forward velocity and turn.
        self._matrix, self._radius = np.array([[1.0, -half], [1.0, half]]), parameters.radius
        self._velocity = np.zeros(2)

    @property
    def is_standing(self) -> bool:
        """Whether it has come to a stand."""
        return not self._velocity.any()

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds of the wheels in the next cycle, rad/s."""
        wanted = np.array([command.forward, command.turn] if command else [0.0, 0.0])
        self._velocity = self._velocity + self._share * (wanted - self._velocity)
        if not wanted.any() and np.abs(self._velocity).max() < CREEP:
            self._velocity = np.zeros(2)
        speeds: Array = self._matrix @ self._velocity / self._radius
        return speeds

    def motion(self, turns: Array) -> Array:
        """Movement of the robot by turns of the wheels, for odometry."""
        forward, turn = np.linalg.solve(self._matrix, self._radius * turns)
        return np.array([forward, 0.0, turn])
