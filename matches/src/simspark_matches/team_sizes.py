"""How many players teams have, which the world of a match says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from simspark_matches.settings import GameSettings, MatchSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.server.league import chosen_for
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings
from simspark_ros.soccer import TEAM_SIZE


def server_settings(game: GameSettings) -> SimulationSettings:
    """World, profile, rules and changes with which the server of a match plays."""
    server = load_simulation_settings()
    world, profile, rules = game.world or server.world, game.profile or server.profile, game.rules or server.rules
    server = replace(server, world=world, profile=profile, rules=rules, changes=(*server.changes, *game.all_changes))
    return chosen_for(game.league, server)


def with_players(settings: MatchSettings) -> MatchSettings:
    """These settings with the number of players of both teams, where they leave it to the world.

    Raises:
        ConfigurationError: a team is larger than the world's teams, or the world has a mistake.
    """
    server = server_settings(settings.game)
    size, world = _size(server), server.world or "soccer"
    for team in (settings.left, settings.right):
        if team.players > size:
            raise ConfigurationError(
                f"{team.players} players are more than a team has in the world '{world}': give {size} or fewer, or "
                "leave the number out"
            )
    left, right = (replace(team, players=team.players or size) for team in (settings.left, settings.right))
    return replace(settings, left=left, right=right)


@cache
def _size(server: SimulationSettings) -> int:
    # It takes some milliseconds, and a tournament has many matches.
    from simspark_ros.simulation.senses.profile_overrides import soccer_asked_for

    # A world may have larger teams than a match can start.
    return min(soccer_asked_for(server).teams.size, TEAM_SIZE)
