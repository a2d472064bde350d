"""`simspark wave`: an agent that joins a running server and waves its arms."""

from __future__ import annotations

import argparse
import sys

from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser

ADDRESS = ("host", "port")


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    add_options(parser, TeamOptions, ADDRESS)
    parser.add_argument("--team", default="Waving", help="team name [Waving]")
    parser.add_argument("--unum", type=int, default=0, help="uniform number, 0 = any free one [0]")
    parser.add_argument("--type", type=int, default=0, choices=range(5), help="heterogeneous type [0]")
    parser.add_argument("--cycles", type=int, metavar="N", help="end after this many messages [never]")


def run(options: argparse.Namespace) -> int:
    """Wave until the server ends or SIGINT comes; returns the exit status, 1 if the server is not there or refuses."""
    from simspark_ros.clients.classic_client import REFUSED, ClassicClient, ConnectionLostError
    from simspark_ros.clients.wave import wave

    def tell(became: str) -> None:
        print(f"{options.team}: {became} waves; Ctrl-C ends it", flush=True)

    try:
        with ClassicClient(**chosen(options, TeamOptions, ADDRESS)) as client:
            became = wave(client, options.team, options.unum, options.type, options.cycles, tell)
    except ConnectionLostError as error:
        print(f"simspark wave: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    if not became:
        print(f"simspark wave: no place in {options.team}; the server's log says why. {REFUSED}", file=sys.stderr)
    return 0 if became else 1
