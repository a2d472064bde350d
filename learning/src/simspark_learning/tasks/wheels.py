"""Tasks of robots that drive: actions are velocities."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.tasks.base import Observation, Task
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import Effector
from simspark_ros.effectors.walk import velocity_kind
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import RobotDescription

FASTEST = (1.5, 1.5, 4.0)
"""Velocities that actions of 1 command: forward and left, m/s, and turn, rad/s."""


def moving_effector(robot: RobotDescription, effectors: Mapping[str, Effector[Any]], where: str = "") -> str:
    """The kind of the effector by which a robot takes velocities; a ConfigurationError if it has none.

    `effectors` are all known ones, by kind; `where` begins the error's message.
    """
    kind = velocity_kind(robot, effectors)
    if not kind:
        lack = f"robot '{robot.name}' takes no velocities; take one with wheels, a walk or a drive, e.g. omni"
        raise ConfigurationError(f"{where}{lack}")
    return kind


class DrivingTask(Task):
    """Base of tasks of robots that drive.

    The observation `percepts` has readings of odometry, gyroscope and vision, and nothing else of the world; each task
    says which. Robots have all of its sensors.
    """

    robot: ClassVar[str] = "omni_sensors"
    engine: ClassVar[str] = "planar"
    sensors: ClassVar[Collection[str]] = ("gyroscope", "odometry")

    def __init__(self, observation: Observation = "truth") -> None:
        super().__init__(observation)
        self._batch: RobotBatch

    @property
    def actions(self) -> int:
        """Forward, left, turn."""
        return 3

    def bind(self, batch: RobotBatch) -> None:
        """Check that the robots can drive or walk."""
        moving_effector(batch.description, batch.arena.effectors, f"task '{self.name}': ")
        self._batch = batch

    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Command the velocities."""
        for number, (forward, left, turn) in enumerate((actions * FASTEST).tolist()):
            self._batch.command_velocity(number, forward, left, turn)

    def stand_at(self, number: int, x: float, y: float, yaw: float) -> None:
        """Put a robot somewhere, m and rad."""
        height = self._batch.description.spawn_height
        self._batch.put(number, np.array([x, y, height]), np.array([0.0, 0.0, yaw]), np.zeros(len(self._batch.joints)))

    @property
    def felt(self) -> Array:
        """(N, 6): velocities forward, left (m/s) and of turning (rad/s) by odometry; gyroscope about x, y, z, rad/s."""
        senses = self._batch.senses
        return np.concatenate([senses.sensed("odometry", 6)[:, 3:], senses.sensed("gyroscope", 3)], axis=1)

    def seen_from(self, points: Array) -> Array:
        """(N, 2) places of points (N, 2), m, each from its robot in the robot's axes."""
        away = np.zeros((self._batch.count, 3))
        away[:, :2] = points - self._batch.position[:, :2]
        turned: Array = np.einsum("nji,nj->ni", self._batch.rotation, away)[:, :2]
        return turned
