"""`simspark team`: the demonstration team."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from simspark_ros.commands.arguments import SubParsers, port
from simspark_ros.configuration.ports import AGENT_PORT, LOOPBACK
from simspark_ros.configuration.schema import ConfigurationError

TEAM_SIZE = 11

_NAME = re.compile(r"[\w-]{1,32}", re.ASCII)


def register(commands: SubParsers) -> None:
    """Add the command."""
    parser = commands.add_parser("team", help="the demonstration team: plays on any server of the classic protocol")
    parser.set_defaults(run=run)
    parser.add_argument("name", metavar="NAME", help="of the team")
    parser.add_argument("--host", default=LOOPBACK, help=f"of the server [{LOOPBACK}]")
    parser.add_argument("--port", type=port, default=AGENT_PORT, help=f"of agents [{AGENT_PORT}]")
    parser.add_argument("--players", type=int, default=TEAM_SIZE, metavar="N", help=f"how many [{TEAM_SIZE}]")
    parser.add_argument("--first-number", type=int, default=1, metavar="N", help="uniform number of the first [1]")
    parser.add_argument("--wait", type=float, default=0.0, metavar="S", help="for a server that is about to start [0]")
    parser.add_argument("--tactics", type=Path, metavar="FILE", help="instead of config/players/team.yaml")


def run(options: argparse.Namespace) -> int:
    """Run it; returns the exit status.

    Raises:
        ConfigurationError: an option or a file cannot be used.
    """
    from simspark_ros.clients.team import TeamOptions, run_team

    first, last = options.first_number, options.first_number + options.players - 1
    if not 1 <= first <= last <= TEAM_SIZE:
        asked = f"--first-number {first} --players {options.players}"
        raise ConfigurationError(f"{asked}: would be numbers {first} to {last}; a team has 1 to {TEAM_SIZE}")
    if not _NAME.fullmatch(options.name):
        raise ConfigurationError(f"team name '{options.name}': only letters, digits, '_' and '-', up to 32")
    numbers = range(first, last + 1)
    return run_team(TeamOptions(options.name, options.host, options.port, numbers, options.tactics, options.wait))
