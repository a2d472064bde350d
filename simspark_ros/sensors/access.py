"""A program's access to its robot, simulated or real."""

from __future__ import annotations

from typing import Protocol

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.container import SensorContainer


class RobotRefusedError(UserError):
    """A robot cannot be built from its configuration; the message has the reason."""


class RobotAccess(Protocol):
    """A robot in a simulation of the same process, on a network, or of metal; a program cannot tell which.

    Attributes:
        name: name of the robot.
        sensors: sensors of the robot.
    """

    name: str
    sensors: SensorContainer

    def command(self, kind: str, *arguments: float | int | str | bool) -> None:
        """Use an effector of the robot, in SI units and radians, e.g. `wheels` with forward, left (m/s), turn (rad/s).

        Raises:
            UserError: the robot has no such effector, or the command is invalid.
        """
        ...

    def close(self) -> None:
        """Release the robot."""
        ...
