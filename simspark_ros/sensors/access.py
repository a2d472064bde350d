"""Access of programs to a robot, wherever the robot is, and the adapter for real robots."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from simspark_ros.configuration.errors import UserError, suggestion
from simspark_ros.sensors.container import Array, SensorContainer, SensorData


class RobotRefusedError(UserError):
    """A robot cannot be built from its configuration; the message has the reason."""


class RobotAccess(Protocol):
    """A robot in an arena, a player's in a simulation, one on a network, or a real one; a program cannot tell which.

    The adapters are `ArenaRobot`, `PlayerBody` of plug-ins, `RemoteRobot` and `DrivenRobot`.
    """

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def sensors(self) -> SensorContainer:
        """The robot's sensors; a program asks for new data by `update`."""

    def command(self, kind: str, *arguments: float | int | str | bool) -> None:
        """Use an effector of the robot, in SI units and radians, e.g. `wheels` with forward, left (m/s), turn (rad/s).

        Raises:
            UserError: the robot has no such effector, or the command cannot be (`CommandRejectedError` for a player).
        """


class DrivenRobot:
    """A `RobotAccess` to a robot whose devices this program's own drivers know; `update` waits for the drivers.

    Args:
        name: the robot's name.
        data: the data that drivers put in.
        effectors: functions by kind of effector, which carry out a command with the arguments of `command`, in the
            program's thread.

    Attributes:
        name: the robot's name.
        sensors: the container with the data.
    """

    def __init__(self, name: str, data: Iterable[SensorData], effectors: Mapping[str, Callable[..., None]]) -> None:
        self.name, self.sensors = name, SensorContainer(data, self._fill)
        self._effectors = effectors
        self._new: dict[SensorData, tuple[Array, float]] = {}
        self._arrived = threading.Condition()

    def put(self, data: SensorData, values: Array, stamp: float) -> None:
        """Hand in what a device has measured, in any thread: values of the feature's columns, and their time, s."""
        with self._arrived:
            self._new[data] = values, stamp
            self._arrived.notify_all()

    def command(self, kind: str, *arguments: float | int | str | bool) -> None:
        """See `RobotAccess.command`."""
        if kind not in self._effectors:
            raise UserError(f"robot '{self.name}' has no effector '{kind}'; {suggestion(kind, self._effectors)}")
        self._effectors[kind](*arguments)

    def _fill(self, wanted: Sequence[SensorData], patience: float) -> None:
        end = time.monotonic() + patience
        with self._arrived:
            while not self._new.keys() >= set(wanted) and (left := end - time.monotonic()) > 0.0:
                self._arrived.wait(left)
            for data in wanted:
                if data in self._new:
                    data.set_data(*self._new.pop(data))
