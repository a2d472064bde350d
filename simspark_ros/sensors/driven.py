"""A robot of a program with its own drivers: threads put in measurements of devices, functions move motors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from simspark_ros.configuration.errors import UserError, suggestion
from simspark_ros.sensors.container import Array, SensorContainer, SensorData


class DrivenSensors:
    """A container that drivers fill from their own threads; a program's `update` waits for them.

    Attributes:
        container: sensor container of the robot, for the program.
    """

    def __init__(self, data: Iterable[SensorData]) -> None:
        self.container = SensorContainer(data, self._fill)
        self._new: dict[SensorData, tuple[Array, float]] = {}
        self._arrived = threading.Condition()

    def put(self, data: SensorData, values: Array, stamp: float) -> None:
        """Hand in a measurement of a device, in any thread: values of the feature's columns, and their time, s."""
        with self._arrived:
            self._new[data] = values, stamp
            self._arrived.notify_all()

    def _fill(self, wanted: Sequence[SensorData], patience: float) -> None:
        end = time.monotonic() + patience
        with self._arrived:
            while not self._new.keys() >= set(wanted) and (left := end - time.monotonic()) > 0.0:
                self._arrived.wait(left)
            for data in wanted:
                if data in self._new:
                    data.set_data(*self._new.pop(data))


class DrivenRobot:
    """A `RobotAccess` to a robot whose devices this program's own drivers serve; closing it does not end the drivers.

    Args:
        name: name of the robot.
        driven: sensors of the robot.
        effectors: functions by kind that carry out a command with the arguments of `command`, in the program's thread.
    """

    def __init__(self, name: str, driven: DrivenSensors, effectors: Mapping[str, Callable[..., None]]) -> None:
        self.name, self.sensors = name, driven.container
        self._effectors = effectors

    def command(self, kind: str, *arguments: float | int | str | bool) -> None:
        """See `RobotAccess.command`."""
        if kind not in self._effectors:
            raise UserError(f"robot '{self.name}' has no effector '{kind}'; {suggestion(kind, self._effectors)}")
        self._effectors[kind](*arguments)

    def close(self) -> None:
        """Nothing to do: the robot belongs to the drivers."""
