"""Agent state perceptor: battery and temperature of a robot (user manual, "AgentState Perceptor")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simspark_ros.perceptors.base import Mount, Perceptor, parameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.soccer.world import World


@dataclass(frozen=True)
class AgentStateParameters:
    """Parameters in YAML: constants that are reported instead of the robot's own values.

    Attributes:
        temperature: degrees Celsius.
        battery: charge, percent.
    """

    temperature: float | None = None
    battery: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no battery has."""
        if self.battery is not None and not 0 <= self.battery <= 100:
            raise ValueError(f"battery must be 0 to 100 percent, not {self.battery}")


class AgentStatePerceptor(Perceptor):
    """Temperature (degrees Celsius) and battery (percent): those of the robot, which a trainer may have set."""

    columns: ClassVar[tuple[str, ...]] = ("temperature", "battery")
    options = AgentStateParameters

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Remember robots and constants."""
        self._robots = [mount.robot for mount in mounts]
        self._temperatures = np.array([mount.start for mount in mounts], np.int64)
        self._batteries = self._temperatures + 1
        constants = [parameters(AgentStateParameters, mount) for mount in mounts]
        constant = [[_or_nan(each.temperature), _or_nan(each.battery)] for each in constants]
        self._constant = np.array(constant).reshape(-1, 2).T
        self._is_constant = ~np.isnan(self._constant)
        self._some_constant = bool(self._is_constant.any())

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the values."""
        temperatures = [robot.temperature for robot in self._robots]
        batteries = [robot.battery for robot in self._robots]
        if self._some_constant:
            temperatures, batteries = np.where(self._is_constant, self._constant, [temperatures, batteries]).tolist()
        values[self._temperatures] = temperatures
        values[self._batteries] = batteries


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value
