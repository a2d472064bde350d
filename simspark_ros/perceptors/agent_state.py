"""Agent state perceptor: battery and temperature of a robot (user manual, "AgentState Perceptor")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, parameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class AgentStateParameters(Checked):
    """Parameters in YAML. temperature, battery: constants that are reported instead of the robot's own values."""

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
        """Store the source of each mount's values: its robot or constants."""
        pairs = [(mount.robot, parameters(AgentStateParameters, mount)) for mount in mounts]
        self._sources = [
            (robot if constant.temperature is None else constant, robot if constant.battery is None else constant)
            for robot, constant in pairs
        ]
        self._places = (np.array([mount.start for mount in mounts], np.int64)[:, None] + np.arange(2)).ravel()

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the values."""
        values[self._places] = [
            value for warm, charged in self._sources for value in (warm.temperature, charged.battery)
        ]
