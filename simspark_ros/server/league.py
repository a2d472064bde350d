"""What `--league` stands for: ports, profile and world of agents of rcssservermj, alone or beside classic agents."""

from __future__ import annotations

import os
from dataclasses import replace

from simspark_ros.configuration.league_models import MODELS_VARIABLE, league_models
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.ports import AGENT_PORT, LEAGUE_AGENT_PORT
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.server.agent_connection import AgentServerSettings
from simspark_ros.server.agent_server import AgentServer
from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.simulation.assembly import preload_robots
from simspark_ros.simulation.settings import CLASSIC_PROFILE, SimulationSettings

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
    patience = PATIENCE if options.silent_timeout == ServeSettings.silent_timeout else options.silent_timeout
    settings = replace(settings, profile=settings.profile or PROFILE, world=settings.world or WORLD)
    return settings, replace(options, agent_port=port, silent_timeout=patience)


def second_port(options: ServeSettings, limits: LimitSettings, context: ServerContext) -> AgentServer | None:
    """The port of classic agents beside the league's, with the robots of these agents loaded; None if there is none.

    Raises:
        PortError: the port cannot be opened.
    """
    if options.league != "both":
        return None
    preload_robots(lambda robot: None, CLASSIC_PROFILE, limits)
    # The kind makes names of clients differ from those of the other port.
    port = replace(
        AgentServerSettings.of(options), port=options.classic_port, option="--classic-port", kind="classic agent"
    )
    return AgentServer(port, load_dialect(CLASSIC_PROFILE), context)
