"""Robots that a program is told to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.simulation.loading.spawning import spawn_text
from simspark_ros.simulation.loop import Simulation


class RobotsAtStart:
    """The robots, spawned in their order.

    Args:
        texts: a `RobotWord` for each robot.
        limits: limits on robots; those that nobody has set are wide here.
        place: how an error begins; {} stands for the robot's text.
        check: refuses a robot by its description and name.
    """

    def __init__(
        self,
        texts: Sequence[str],
        limits: LimitSettings,
        place: str,
        check: Callable[[RobotDescription, str], None] = lambda *_: None,
    ) -> None:
        self._texts, self._place, self._check = texts, place, check
        self._limits = for_own_files(limits)

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Spawn them; a `ConfigurationError` names the option and the robot."""
        for text in self._texts:
            try:
                spawn_text(simulation.world, text, self._limits, self._check)
            except SpawnError as error:
                raise ConfigurationError(f"{self._place.format(text)}: {error}") from None
