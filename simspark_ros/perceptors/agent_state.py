"""Agent state perceptor: battery and temperature of a robot (user manual, "AgentState Perceptor")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, parameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class AgentStateParameters(Checked):
    """Parameters in YAML: constants that are reported instead of the robot's own values."""

    temperature: float | None = None
    battery: Annotated[float | None, Range(0.0, 100.0, "percent")] = None


class AgentStatePerceptor(Perceptor):
    """The robot's temperature (degrees Celsius) and battery (percent), which a trainer may have set.

    With realistic motors the temperature is the hottest motor's.
    """

    columns: ClassVar[tuple[str, ...]] = ("temperature", "battery")
    topics: ClassVar[tuple[Topic, ...]] = (
        Topic("sensor_msgs/msg/Temperature", "temperature", {"temperature": "temperature"}),
    )
    options = AgentStateParameters

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Store robots and constants."""
        self._carriers = [(mount.robot, mount.start, parameters(AgentStateParameters, mount)) for mount in mounts]

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the values."""
        for robot, start, constant in self._carriers:
            values[start] = robot.temperature if constant.temperature is None else constant.temperature
            values[start + 1] = robot.battery if constant.battery is None else constant.battery
