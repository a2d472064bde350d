"""What `--league` stands for: ports, profile and world of agents of rcssservermj, alone or beside classic agents."""

from __future__ import annotations

import os
from dataclasses import replace

from simspark_ros.configuration.league_models import MODELS_VARIABLE, league_models
from simspark_ros.configuration.ports import AGENT_PORT, LEAGUE_AGENT_PORT, RSMP_PORT
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings

PROFILE, WORLD = "rcssservermj", "fifa7vs7"
PATIENCE = 5.0
"""Time for which the league's server waits for an agent in lock-step, s."""


def for_league(settings: SimulationSettings, options: ServeSettings) -> tuple[SimulationSettings, ServeSettings]:
    """The settings with those that a league has, where none were chosen.

    Raises:
        ConfigurationError: its robots are missing.
    """
    if options.league_models is not None:
        # Other processes read the profile, too.
        os.environ[MODELS_VARIABLE] = str(options.league_models.absolute())
    if options.league == "classic":
        return settings, options
    league_models()
    port = LEAGUE_AGENT_PORT if options.agent_port == AGENT_PORT else options.agent_port
    monitors = RSMP_PORT if options.rsmp_port is None and port == LEAGUE_AGENT_PORT else options.rsmp_port
    patience = PATIENCE if options.silent_timeout == ServeSettings.silent_timeout else options.silent_timeout
    settings = replace(settings, profile=settings.profile or PROFILE, world=settings.world or WORLD)
    return settings, replace(options, agent_port=port, rsmp_port=monitors, silent_timeout=patience)
