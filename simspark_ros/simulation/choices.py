"""What settings and profile choose at the start: the engine, the loader of worlds, whether classic agents can play."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.presets import DEFAULT_ENGINE
from simspark_ros.physics.registry import create_engine, engine_names, unknown_engine, why_missing
from simspark_ros.simulation.loading.world_loading import WorldLoader
from simspark_ros.simulation.senses.profile_overrides import ProfileOverrides, changes_of, load_overrides, profile_file
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rules import rule_types
from simspark_ros.soccer.settings import WorldText, read_world

_LOG = logging.getLogger("simspark")


def admit_classic_agents(settings: SimulationSettings) -> tuple[SimulationSettings, str]:
    """Return the settings with the profile of classic agents, and an empty text.

    If the world's cycles differ from the cycles that classic agents count on: the settings without them, and the reason
    for the refusal. A profile that was chosen stays. The settings name an engine, see `with_engine`.
    """
    classic = settings.with_classic_agents()
    world = read_world(settings.world or None)
    worlds = world_loader(classic, load_overrides(classic.profile), rule_types(), world)
    cycle_time = worlds.settings(world).cycle_time
    refusal = refusal_of_agents(classic)(cycle_time)
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


def refusal_of_agents(settings: SimulationSettings) -> Callable[[float], str]:
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


def world_loader(
    settings: SimulationSettings, overrides: ProfileOverrides, rules: Mapping[str, type[Rule]], first: WorldText
) -> WorldLoader:
    """The loader of worlds, with the changes that settings make to each world; `first` is the world of the start."""
    return WorldLoader(partial(chosen_engine, settings, overrides), changes_of(settings, overrides), rules, first)


def chosen_engine(settings: SimulationSettings, overrides: ProfileOverrides, cycle_time: float) -> PhysicsEngine:
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
