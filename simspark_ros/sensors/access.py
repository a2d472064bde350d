"""A robot as its program has it, wherever the robot is."""

from __future__ import annotations

from typing import Protocol

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.container import SensorContainer


class RobotRefusedError(UserError):
    """A robot cannot be built from its configuration; the message has the reason."""


class RobotAccess(Protocol):
    """A robot in an arena, of a player in a simulation, on a network, or of metal; a program cannot tell which.

    The adapters are `ArenaRobot`, `PlayerBody` of plug-ins, `RemoteRobot` and `DrivenRobot`.
    """

    @property
    def name(self) -> str:
        """The robot's name."""
        ...

    @property
    def sensors(self) -> SensorContainer:
        """The robot's sensors; a program asks for new data by `update`."""
        ...

    def command(self, kind: str, *arguments: float | int | str | bool) -> None:
        """Use an effector of the robot, in SI units and radians, e.g. `wheels` with forward, left (m/s), turn (rad/s).

        Raises:
            UserError: the robot has no such effector, or the command cannot be (`CommandRejectedError` for a player).
        """
        ...
