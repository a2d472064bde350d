"""The meaning of `--league`: ports, profile and world of agents of rcssservermj, alone or beside classic agents."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace

from simspark_ros.configuration.league_models import (
    DEMO_ROBOT,
    LEAGUE_WORLD,
    MODELS_VARIABLE,
    League,
    league_file,
    league_models,
)
from simspark_ros.configuration.ports import LEAGUE_AGENT_PORT, RSMP_PORT
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings

PROFILE = "rcssservermj"
PATIENCE = 5.0
"""Time for which the league's server waits for an agent in lock-step, s."""


def for_league(
    settings: SimulationSettings, options: ServeSettings, given: Collection[str]
) -> tuple[SimulationSettings, ServeSettings]:
    """The settings, with the league's values where none were chosen; child processes are told `league_models`.

    `given` are the names of the options that were chosen.

    Raises:
        ConfigurationError: the league's robots are missing, or the demonstration team's robot is.
    """
    if options.league_models is not None:
        # Other processes read the profile, too.
        os.environ[MODELS_VARIABLE] = str(options.league_models.absolute())
    if options.league == "classic":
        return settings, options
    models = league_models()
    if options.league == "2026" and options.demo and league_file(DEMO_ROBOT) is None:
        raise ConfigurationError(f"--demo: the demonstration team needs a {DEMO_ROBOT}, which is not in {models}")
    if settings.profile and not _joins(settings.profile):
        raise ConfigurationError(
            f"--league {options.league}: profile '{settings.profile}' is one of rcssserver3d's agents; leave out "
            "--profile or --league"
        )
    port = options.agent_port if "agent_port" in given else LEAGUE_AGENT_PORT
    monitors = RSMP_PORT if options.rsmp_port is None and port == LEAGUE_AGENT_PORT else options.rsmp_port
    patience = options.silent_timeout if "silent_timeout" in given else PATIENCE
    return chosen_for(options.league, settings), replace(
        options, agent_port=port, rsmp_port=monitors, silent_timeout=patience
    )


def _joins(profile: str) -> bool:
    """Whether agents of a profile join as those of the league since 2026 do."""
    # Reading profiles takes numpy, for which options do not wait.
    from simspark_ros.protocol.agent.dialect import load_dialect

    return load_dialect(profile).commands.joins


def chosen_for(league: League, settings: SimulationSettings) -> SimulationSettings:
    """The settings, with the league's profile and world where none were chosen."""
    if league == "classic":
        return settings
    return replace(settings, profile=settings.profile or PROFILE, world=settings.world or LEAGUE_WORLD)
