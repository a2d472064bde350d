"""Attachments of simulations: `simspark serve`, the simulator node and the Arena each list theirs.

This module has their protocol, the attachments that several programs list, and the nodes that end a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Protocol, runtime_checkable

from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.simulation.loading.spawning import spawn_text
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.game_state import PlayMode


@runtime_checkable
class Attachment(Protocol):
    """One thing that a program adds to a simulation before the loop starts; it is made with its own settings."""

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Add it; `stack` has what frees it at the program's end. A `UserError` says what cannot be used."""


class Nodes:
    """Control nodes that need nothing but to be called."""

    def __init__(self, *nodes: ControlNode | None) -> None:
        self._nodes = [node for node in nodes if node is not None]

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Add the nodes in their order."""
        for node in self._nodes:
            simulation.add_node(node)


def attach_all(attachments: Iterable[Attachment], simulation: Simulation, stack: ExitStack) -> None:
    """Attach all in their order, which is also the order of their events in a cycle."""
    for attachment in attachments:
        attachment.attach(simulation, stack)


class RobotsAtStart:
    """The robots, spawned in their order.

    Args:
        texts: a `RobotWord` for each robot.
        limits: limits on robots; limits that nobody has set are wide here.
        place: beginning of an error; {} stands for the robot's text.
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


class EndAfter(ControlNode):
    """Stops the simulation after a simulated time, s."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def end_cycle(self, simulation: Simulation) -> None:
        """Look at the clock."""
        if simulation.time >= self._seconds:
            simulation.stop()


class EndWithGame(ControlNode):
    """Stops the simulation when the game has been over for that many simulated seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def end_cycle(self, simulation: Simulation) -> None:
        """Look at the play mode."""
        game = simulation.world.game
        if game.play_mode is PlayMode.GAME_OVER and game.mode_time >= self._seconds:
            simulation.stop()
