"""`simspark team`: the demonstration team."""

from __future__ import annotations

import argparse

from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.schema import ConfigurationError


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("team", metavar="NAME", help="name of the team")
    add_options(parser, TeamOptions)


def run(options: argparse.Namespace) -> int:
    """Run it; returns the exit status.

    Raises:
        ConfigurationError: an option or a file cannot be used.
    """
    from simspark_ros.clients.team import run_team

    try:
        settings = TeamOptions(**chosen(options, TeamOptions))
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
    return run_team(settings)
