"""Puts a simulation together from settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.configuration.limits import for_own_files
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import Effector
from simspark_ros.motion.drive import Drive
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.sensors.perceptual_file import load_models
from simspark_ros.simulation.agent_control import AgentControl, AgentLink, LinkParticipants
from simspark_ros.simulation.attachments import Attachment, Nodes, attach_all
from simspark_ros.simulation.choices import chosen_engine, refusal_of_agents, with_engine, world_loader
from simspark_ros.simulation.gazing import Gazing
from simspark_ros.simulation.loading.editing import SceneEditing
from simspark_ros.simulation.loading.furnishing import Furniture
from simspark_ros.simulation.loading.world_loading import WorldLoader
from simspark_ros.simulation.loading.world_saving import WorldSaving
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.scheduler import Scheduler
from simspark_ros.simulation.player_plugins.host import PlayerHost, player_types
from simspark_ros.simulation.player_plugins.player import PlayerPlugin
from simspark_ros.simulation.plug_in_nodes import third_party_control_nodes
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.registry import isolated, known_effectors, perceptor_types
from simspark_ros.simulation.robot_checks import RobotChecks, drawn_types, preload_robots
from simspark_ros.simulation.senses.profile_overrides import load_overrides, profile_file, scene_robots
from simspark_ros.simulation.senses.sensing import Sensing
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP, effectors_of
from simspark_ros.simulation.velocity.locomotion import Locomotion
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rules import rule_types
from simspark_ros.soccer.settings import read_world
from simspark_ros.soccer.world import SoccerWorld

REFUSED_SINCE_START = "classic agents are refused: the cycles of the first world were not the length they count on"
"""Classic agents stay refused, whatever world is loaded later: nothing was set up for them at the start."""


@dataclass(frozen=True)
class PlugIns:
    """Plug-ins that a program brings itself, by their names in robots' files, rule books and settings."""

    perceptors: Mapping[str, type[Perceptor]] = field(default_factory=dict)
    effectors: Mapping[str, Effector[Any]] = field(default_factory=dict)
    drives: Mapping[str, type[Drive]] = field(default_factory=dict)
    rules: Mapping[str, type[Rule]] = field(default_factory=dict)
    players: Mapping[str, type[PlayerPlugin]] = field(default_factory=dict)


class Assembly:
    """The parts of a simulation, read and checked once; `build` may be called again and again.

    Attributes:
        settings: settings of the simulation.
        world_text: text of the world at the start.
        soccer: settings of that world.

    Raises:
        ConfigurationError, PhysicsError, RobotError: the message names cause and remedy.
    """

    def __init__(self, settings: SimulationSettings, more: PlugIns | None = None) -> None:
        more = more or PlugIns()
        limit_blas_threads(settings.blas_threads)
        self.settings = settings = with_engine(settings)
        self._overrides = load_overrides(settings.profile)
        self._perceptors = {**perceptor_types(), **more.perceptors}
        self._effectors = {**known_effectors(), **effectors_of(more.drives), **isolated(more.effectors)}
        self._drives = {**DRIVE_GROUP.parts(), **more.drives}
        self._rules = {**rule_types(), **more.rules}
        self._players = {**player_types(), **more.players}
        self._expected = load_models(Path(settings.expectations)) if settings.expectations else {}
        self.world_text = read_world(settings.world or None)
        self.soccer = self._worlds().settings(self.world_text)
        self._refusal = refusal_of_agents(settings)
        at_start = self._refusal(self.soccer.cycle_time)
        if at_start and (settings.profile or settings.wait_for_robots):
            asks = (
                f"profile '{settings.profile}'" if settings.profile else f"wait_for_robots {settings.wait_for_robots}"
            )
            raise ConfigurationError(f"{asks}: {at_start}; leave it out, or choose another world")
        self._refused_at_start = at_start and REFUSED_SINCE_START
        self._checks = RobotChecks(self._effectors, self._drives, self.soccer.cycle_time)
        self._types = self._check_first()
        own = for_own_files(settings)
        self._furniture = Furniture.of(self.soccer.things, self.world_text.path, self._types, own)

    def _check_first(self) -> RobotTypes:
        """Check the robots that agents may create; returns their drawn types."""
        check_first = partial(self._checks.check_first, self._sensing(np.random.SeedSequence(0)))
        preload_robots(check_first, self.settings.profile, self.settings)
        if self._overrides.perceptors and not scene_robots(self.settings.profile):
            # Mistakes in what the profile changes are found before anything runs, whichever robots come.
            for name in robot_names():
                check_first(load_robot(name))
        # After the profile's robots, whose errors name the profile.
        types = drawn_types(self.settings, self.soccer.teams)
        for one in types.told:
            check_first(load_robot(one.name, one.number))
        return types

    def build(
        self,
        links: Sequence[AgentLink],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        warn: Callable[[str], object] = lambda text: None,
        seed: int | None = None,
    ) -> tuple[Simulation, AgentControl]:
        """A new simulation; arguments and errors as in `build_simulation`; seed None = the settings' seed."""
        settings = self.settings if seed is None else replace(self.settings, seed=seed)
        effects, perception, judging = np.random.SeedSequence(settings.seed).spawn(3)
        engine = chosen_engine(settings, self._overrides, self.soccer.cycle_time)
        sensing = self._sensing(perception)
        world = SoccerWorld(engine, self.soccer, np.random.default_rng(effects), partial(self._checks.check, sensing))
        world.motor_kind = settings.motors
        world.types = self._types
        self._furniture.put_into(world)
        scheduler = Scheduler(settings, engine.cycle_time, LinkParticipants(links, sleep), clock, warn)
        simulation = Simulation(world, sensing, scheduler, settings.threads)
        simulation.sequential = settings.sequential
        control = AgentControl(
            list(links), self._effectors, lambda cycle_time: self._refusal(cycle_time) or self._refused_at_start
        )
        referee = Referee(world, self.soccer.rules, np.random.default_rng(judging), self._rules, settings.referee)
        # None of them has anything to free.
        attach_all(self._attachments(settings, control, referee), simulation, ExitStack())
        return simulation, control

    def _attachments(self, settings: SimulationSettings, control: AgentControl, referee: Referee) -> list[Attachment]:
        """What every simulation has, in the order of events in a cycle."""
        saved = Path(settings.saved_worlds)
        return [
            Nodes(control, referee, Locomotion(self._drives), Gazing(), *third_party_control_nodes()),
            self._worlds(),
            SceneEditing(),
            *([WorldSaving(saved, settings.saved_world_files)] if settings.saved_worlds else []),
            PlayerHost(settings, self._players, self._expected),
        ]

    def _worlds(self) -> WorldLoader:
        return world_loader(self.settings, self._overrides, self._rules, self.world_text)

    def _sensing(self, random: np.random.SeedSequence) -> Sensing:
        source = f"{profile_file(self.settings.profile)}: simulation: perceptors"
        interval = self.settings.monitor_interval
        return Sensing(self._perceptors, random, self._overrides.perceptors, source, interval)


def build_simulation(
    settings: SimulationSettings,
    links: Sequence[AgentLink],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
    warn: Callable[[str], object] = lambda text: None,
) -> tuple[Simulation, AgentControl]:
    """Build a simulation of a world as its file has it, ready to run, and its agent control.

    Without links there are no classic agents.

    The clock is monotonic; it and `sleep` count seconds. `warn` takes a warning for the operator.

    Raises:
        ConfigurationError, PhysicsError, RobotError: the message names cause and remedy.
    """
    return Assembly(settings).build(links, clock, sleep, warn)
