"""Replaces the world of a simulation by another one between two cycles; engine, preset and time go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import numpy as np

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.robots.files.format_table import YAML
from simspark_ros.simulation.loading.addresses import find_file
from simspark_ros.simulation.loading.furnishing import Furniture
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.foreign_world import read_foreign_world, read_foreign_world_text
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rules import rule_settings
from simspark_ros.soccer.settings import (
    WORLDS,
    Change,
    SoccerSettings,
    WorldText,
    changed_settings,
    read_world,
    text_of_world,
)
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


class WorldLoader:
    """Loads worlds for one simulation.

    Args:
        make_engine: function that makes an engine like the simulation's, for a length of cycles, s.
        changes: changes that the simulation's settings make to every world, in their order.
        rules: all known rules, by name.
        first: world of the start.

    Attributes:
        current: the loaded world, None if there is none.
    """

    def __init__(
        self,
        make_engine: Callable[[float], PhysicsEngine],
        changes: Sequence[Change],
        rules: Mapping[str, type[Rule]],
        first: WorldText,
    ) -> None:
        self._make_engine, self._changes, self._rules = make_engine, changes, rules
        self.current: WorldText | None = first

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Offer other worlds from now on."""
        simulation.worlds = self

    @property
    def drawn(self) -> str:
        """Text of the current world for those who draw it (`world_of_text`); empty if there is none."""
        return text_of_world(self.current, self._changes) if self.current else ""

    def find(self, uri: str, text: str, limits: LimitSettings) -> Callable[[], WorldText]:
        """A function that reads a world; call it outside of the simulation's thread: it may take long (`foreign.ask`).

        Args:
            uri: name of a world of the package, or the address of a YAML or SDF file.
            text: content of such a file; not used beside a URI.
            limits: limits of reading.

        Raises:
            AddressError: nothing there.
        """
        if text and not uri:
            return partial(read_foreign_world_text, text, limits)
        if uri in WORLDS.names:
            return partial(read_world, uri)
        return partial(read_foreign_world, find_file(uri, "world", WORLDS.names, (YAML, *WORLDS.readers)), limits)

    def settings(self, text: WorldText) -> SoccerSettings:
        """The settings of a world; an error is blamed on its file, or else on the change that caused it.

        Raises:
            ConfigurationError: the message names file and key.
        """
        return changed_settings(text, self._changes, lambda soccer: rule_settings(soccer.rules, self._rules))

    def prepare(
        self, simulation: Simulation, text: WorldText, limits: LimitSettings | None = None
    ) -> Callable[[], None]:
        """Try the world of a file, in any thread; `limits` on its robots, None = the simulation's, for clients.

        Returns:
            Function that replaces the world, in the simulation's thread; a new game begins, and time stands still.

        Raises:
            CommandRejectedError: agents have robots in the world; the function raises it, too.
            ConfigurationError, PhysicsError: the new world cannot be used; then the old one stays.
        """
        self._check_agents(simulation)
        soccer = self.settings(text)
        limits = limits or simulation.scheduler.settings
        furniture = Furniture.of(soccer.things, text.path, simulation.world.types, limits)
        if furniture.objects or furniture.robots:
            self._try(furniture, soccer, simulation)
        return partial(self._load, simulation, text, soccer, furniture)

    def _load(self, simulation: Simulation, text: WorldText, soccer: SoccerSettings, furniture: Furniture) -> None:
        self._check_agents(simulation)
        before, engine = simulation.world.engine.cycle_time, self._make_engine(soccer.cycle_time)
        try:
            simulation.world.replace(engine, soccer)
        except Exception:
            engine.close()
            raise
        referee = simulation.node(Referee)
        if referee is not None:
            referee.load(soccer.rules)
        if soccer.cycle_time != before:
            simulation.change_cycle_time()
        self._begin(simulation)
        self.current, simulation.scheduler.halted = text, False
        furniture.put_into(simulation.world)

    def unload(self, simulation: Simulation) -> None:
        """Remove the world with all robots; time stands still until another one is loaded. Errors as in `prepare`."""
        self._check_agents(simulation)
        simulation.world.remove_robots(list(simulation.world.robots.values()))
        self._begin(simulation)
        self.current, simulation.scheduler.halted = None, True

    def _try(self, furniture: Furniture, soccer: SoccerSettings, simulation: Simulation) -> None:
        """Furnish a world that nobody sees, to find misplaced things while the old world is still there."""
        engine = self._make_engine(soccer.cycle_time)
        try:
            world = SoccerWorld(engine, soccer, np.random.default_rng(0), simulation.world.check_robot)
            world.motor_kind = simulation.world.motor_kind
            furniture.put_into(world)
        finally:
            engine.close()

    def _begin(self, simulation: Simulation) -> None:
        simulation.scheduler.pause()
        simulation.reset_nodes()

    def _check_agents(self, simulation: Simulation) -> None:
        """Refuse if agents play: they know the field at their start, and their protocol has no words for another."""
        clients = [robot.client for robot in list(simulation.world.robots.values()) if robot.client]
        if clients:
            raise CommandRejectedError(
                f"agents play in this world ({len(clients)}, e.g. {clients[0]}) and cannot be told of another one; "
                "disconnect them first"
            )
