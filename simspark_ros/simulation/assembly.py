"""Puts a simulation together from settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.configuration.errors import UserError, suggestion
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.effectors import Effector
from simspark_ros.effectors.base import BodyParameters
from simspark_ros.motion.drive import Drive
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.presets import DEFAULT_ENGINE
from simspark_ros.physics.registry import create_engine, engine_names, unknown_engine, why_missing
from simspark_ros.robots.catalogue import body_rules, keep, load_robot, robot_names, variants
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.format_table import MODEL_ENDINGS
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.sensors.perceptual_file import load_models
from simspark_ros.simulation.agent_control import AgentControl, AgentLink
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
from simspark_ros.simulation.registry import (
    EFFECTOR_GROUP,
    isolated,
    known_effectors,
    perceptor_types,
)
from simspark_ros.simulation.senses.profile_overrides import (
    ProfileOverrides,
    changes_of,
    load_overrides,
    profile_file,
    scene_robots,
)
from simspark_ros.simulation.senses.sensing import Sensing
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP, effectors_of
from simspark_ros.simulation.velocity.locomotion import Locomotion, check_locomotion
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rules import rule_types
from simspark_ros.soccer.settings import read_world
from simspark_ros.soccer.teams import TeamRules
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

SYN = "syn"
"""Kind of effector that the classic server carries out itself."""


REFUSED_SINCE_START = "classic agents are refused: the cycles of the first world were not the length they count on"
"""Classic agents stay refused, whatever world is loaded later: nothing was set up for them at the start."""

_LOG = logging.getLogger("simspark")
_READY, _PARTICIPANTS = attrgetter("ready"), attrgetter("participants")


class LinkParticipants:
    """The clients of all links, as the scheduler sees them; `sleep` waits (s) if there are no links."""

    def __init__(self, links: Sequence[AgentLink], sleep: Callable[[float], None]) -> None:
        self._links, self._sleep = links, sleep

    def wait(self, timeout: float) -> None:
        """Serve all links; with several of them the timeout (s) is shared."""
        for link in self._links:
            link.wait(timeout / len(self._links))
        if timeout > 0 and not self._links:
            self._sleep(timeout)

    @property
    def count(self) -> int:
        """Clients with a robot on all links."""
        return sum(map(_PARTICIPANTS, self._links))

    @property
    def ready(self) -> bool:
        """Whether all links have everything."""
        return all(map(_READY, self._links))


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
        self.soccer = self._world_loader().settings(self.world_text)
        self._refusal = _refusal_of_agents(settings)
        at_start = self._refusal(self.soccer.cycle_time)
        if at_start and (settings.profile or settings.wait_for_robots):
            asks = (
                f"profile '{settings.profile}'" if settings.profile else f"wait_for_robots {settings.wait_for_robots}"
            )
            raise ConfigurationError(f"{asks}: {at_start}; leave it out, or choose another world")
        self._refused_at_start = at_start and REFUSED_SINCE_START
        check_robot = partial(self._check_robot, self._sensing(np.random.SeedSequence(0)))
        # They are kept, so that no other description gets the id of one of them.
        self._checked: dict[int, RobotDescription] = {}

        def check_first(robot: RobotDescription) -> None:
            check_robot(robot)
            self._checked[id(robot)] = robot

        preload_robots(check_first, settings.profile, settings)
        if self._overrides.perceptors and not scene_robots(settings.profile):
            # Mistakes in what the profile changes are found before anything runs, whichever robots come.
            for name in robot_names():
                check_first(load_robot(name))
        self._types = _types(settings, self.soccer.teams)
        for one in self._types.told:
            check_robot(load_robot(one.name, one.number))
        self._furniture = Furniture.of(self.soccer.things, self.world_text.path, self._types, settings)

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
        engine = _engine(settings, self._overrides, self.soccer.cycle_time)
        sensing = self._sensing(perception)
        check_robot = partial(self._check_newcomer, sensing)
        world = SoccerWorld(engine, self.soccer, np.random.default_rng(effects), check_robot)
        world.motor_kind = settings.motors
        world.types = self._types
        self._furniture.put_into(world, settings)
        referee = Referee(world, self.soccer.rules, np.random.default_rng(judging), self._rules, settings.referee)
        control = AgentControl(
            list(links),
            self._effectors,
            lambda cycle_time: self._refusal(cycle_time) or self._refused_at_start,
        )
        scheduler = Scheduler(settings, engine.cycle_time, LinkParticipants(links, sleep), clock, warn)
        nodes = [control, referee, Locomotion(self._drives), Gazing(), *third_party_control_nodes()]
        simulation = Simulation(world, sensing, scheduler, nodes, settings.threads)
        simulation.sequential = settings.sequential
        simulation.worlds = self._world_loader()
        simulation.worlds.current = self.world_text
        simulation.editing = SceneEditing(simulation)
        if settings.saved_worlds:
            simulation.saving = WorldSaving(simulation, Path(settings.saved_worlds), settings.saved_world_files)
        simulation.players = host = PlayerHost(simulation, settings, self._players, self._expected)
        simulation.add_node(host)
        # A list of ROS parameters that says nothing has an empty text.
        for player in filter(None, settings.players):
            try:
                host.start(player)
            except CommandRejectedError as error:
                raise ConfigurationError(f"players: {error}") from None
        return simulation, control

    def _world_loader(self) -> WorldLoader:
        return _world_loader(self.settings, self._overrides, self._rules)

    def _sensing(self, random: np.random.SeedSequence) -> Sensing:
        source = f"{profile_file(self.settings.profile)}: simulation: perceptors"
        interval = self.settings.monitor_interval
        return Sensing(self._perceptors, random, self._overrides.perceptors, source, interval)

    def _check_newcomer(self, sensing: Sensing, description: RobotDescription) -> None:
        """Check a robot that comes, unless it was checked before the start: then nobody waits for that."""
        if id(description) not in self._checked:
            self._check_robot(sensing, description)

    def _check_robot(self, sensing: Sensing, description: RobotDescription) -> None:
        sensing.check(description)
        check_effectors(self._effectors, description)
        check_locomotion(self._drives, description, self.soccer.cycle_time)


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


def admit_classic_agents(settings: SimulationSettings) -> tuple[SimulationSettings, str]:
    """Return the settings with the profile of classic agents, and an empty text.

    If the world's cycles differ from the cycles that classic agents count on: the settings without them, and the reason
    for the refusal. A profile that was chosen stays. The settings name an engine, see `with_engine`.
    """
    classic = settings.with_classic_agents()
    worlds = _world_loader(classic, load_overrides(classic.profile), rule_types())
    cycle_time = worlds.settings(read_world(settings.world or None)).cycle_time
    refusal = _refusal_of_agents(classic)(cycle_time)
    return with_engine(settings if refusal else classic), refusal


def with_engine(settings: SimulationSettings) -> SimulationSettings:
    """The settings with an engine: the chosen one, else the profile's, else PyBullet; ODE where that is missing.

    A preset without an engine is one of PyBullet.
    """
    if settings.engine or settings.preset:
        return replace(settings, engine=settings.engine or DEFAULT_ENGINE)
    wanted = load_overrides(settings.profile).engine or DEFAULT_ENGINE
    there = (name for name in dict.fromkeys((wanted, DEFAULT_ENGINE, "ode")) if not why_missing(name))
    if (engine := next(there, wanted)) != wanted:
        _LOG.warning("physics engine %s instead of %s: %s", engine, wanted, why_missing(wanted))
    return replace(settings, engine=engine)


def _refusal_of_agents(settings: SimulationSettings) -> Callable[[float], str]:
    """A function that says, for the length of a world's cycles, s, why agents cannot play; empty if they can."""
    profile = settings.with_classic_agents().profile
    expected = load_overrides(profile).cycle_time

    def refusal(cycle_time: float) -> str:
        if expected in (None, cycle_time):
            return ""
        return (
            f"classic agents are refused: they count on cycles of {expected:g} s (profile '{profile}'), but the cycles "
            f"of this world last {cycle_time:g} s (time: cycle)"
        )

    return refusal


def _world_loader(
    settings: SimulationSettings, overrides: ProfileOverrides, rules: Mapping[str, type[Rule]]
) -> WorldLoader:
    """The loader of worlds, with the changes that settings make to each world."""
    return WorldLoader(partial(_engine, settings, overrides), changes_of(settings, overrides), rules)


def _engine(settings: SimulationSettings, overrides: ProfileOverrides, cycle_time: float) -> PhysicsEngine:
    """The engine with the chosen preset, else the profile's preset, else its own preset for the cycle time (s).

    A profile's preset is for agents, and agents are refused in a world with other cycles.
    """
    for name in overrides.presets:
        if name not in engine_names():
            where = f"{profile_file(settings.profile)}: simulation: presets"
            raise ConfigurationError(f"{where}: {unknown_engine(name)}")
    for_agents = overrides.cycle_time in (None, cycle_time)
    preset = settings.preset or (overrides.presets.get(settings.engine) if for_agents else None)
    return create_engine(settings.engine, preset, cycle_time)


def preload_robots(check: Callable[[RobotDescription], None], profile: str, limits: LimitSettings) -> None:
    """Load every robot that agents of a profile can create, so that no agent's joining waits for a file.

    Other robots of the package are loaded when somebody asks for them, which takes about 10 ms each.
    """
    for scene, (name, types) in scene_robots(profile).items():
        try:
            for variant in range(types) if name.endswith(MODEL_ENDINGS) else variants(name):
                check(_scene_robot(name, variant, limits))
        except UserError as error:
            raise ConfigurationError(f"{profile_file(profile)}: scenes: {scene}: {error}") from None


def _scene_robot(name: str, variant: int, limits: LimitSettings) -> RobotDescription:
    """A robot that a profile names; `loaded_robot` knows robots of users' own files from now on."""
    own = for_own_files(limits)
    robot = load_foreign(Path(name), variant, own) if name.endswith(MODEL_ENDINGS) else load_robot(name, variant)
    if is_robot_file(name):
        keep(name, robot)
    return robot


def _types(settings: SimulationSettings, teams: TeamRules) -> RobotTypes:
    """The types of robots that the settings ask for; classic agents are told the types of robots they can create."""
    if settings.random_types < 0:
        return RobotTypes()
    if settings.random_type_count < teams.min_types:
        problem = f"random_type_count {settings.random_type_count}: a team needs {teams.min_types} types (min_types)"
        raise ConfigurationError(f"{problem}; draw as many, or change teams.min_types of the world")
    names = sorted({name for name, _ in scene_robots(settings.profile).values()}) or robot_names()
    told = tuple(name for name in names if body_rules(name).parameters)
    return RobotTypes(settings.random_types, settings.random_type_count, told)


def check_effectors(effectors: Mapping[str, Effector[Any]], description: RobotDescription) -> None:
    """Refuse a robot with effectors that do not exist or name wrong parameters or parts, by a `ConfigurationError`."""
    for spec in description.effectors:
        where = description.place(spec)
        effector = effectors.get(spec.kind)
        if effector is None and spec.kind != SYN:
            known = sorted({*effectors, SYN})
            faults = EFFECTOR_GROUP.faults(spec.kind) + DRIVE_GROUP.faults(spec.kind)
            raise ConfigurationError(f"{where}: there is no such kind; {suggestion(spec.kind, known, faults)}")
        if effector is not None and effector.options is not None:
            options = build(effector.options, dict(spec.parameters), where)
            if isinstance(options, BodyParameters):
                try:
                    options.check(description)
                except (ValueError, ConfigurationError) as error:
                    raise ConfigurationError(f"{where}: {error}") from None
