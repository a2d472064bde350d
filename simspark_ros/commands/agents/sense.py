"""`simspark sense`: joins a running server as an agent and prints its percepts."""

from __future__ import annotations

import argparse
import sys
from itertools import islice

from simspark_ros.clients.team_settings import TeamOptions
from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser

ADDRESS = ("host", "port")


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    add_options(parser, TeamOptions, (*ADDRESS, "robot"))
    parser.add_argument("--team", default="Sensing", help="team name [Sensing]")
    parser.add_argument("--unum", type=int, default=0, help="uniform number, 0 = any free one [0]")
    parser.add_argument("--type", type=int, default=0, choices=range(5), help="heterogeneous type [0]")
    parser.add_argument("--every", type=int, default=50, metavar="N", help="print every Nth message with WORD [50]")
    parser.add_argument("--only", default="", metavar="WORD", help="perceptors of this word only, e.g. See, HJ, GYR")
    parser.add_argument("--messages", type=int, metavar="N", help="end after printing this many [never]")


def run(options: argparse.Namespace) -> int:
    """Print until the server ends or SIGINT comes; returns the exit status, 1 if the server is not there or refuses."""
    from simspark_ros.clients.classic_client import REFUSED, ClassicClient, ConnectionLostError
    from simspark_ros.clients.sense import sense

    printed = 0
    try:
        with ClassicClient(**chosen(options, TeamOptions, ADDRESS)) as client:
            messages = sense(client, options.team, options.unum, options.type, options.robot or TeamOptions.robot)
            wanted = ([text for text in message if _is_wanted(text, options.only)] for message in messages)
            for texts in islice(filter(None, wanted), 0, None, max(options.every, 1)):
                print("\n".join(texts), end="\n\n", flush=True)
                printed += 1
                if printed == options.messages:
                    break
    except ConnectionLostError as error:
        print(f"simspark sense: {error}", file=sys.stderr)
        return 0 if printed else 1
    except KeyboardInterrupt:
        return 0
    if not printed:
        print(f"simspark sense: no place in {options.team}; the server's log says why. {REFUSED}", file=sys.stderr)
    return 0 if printed else 1


def _is_wanted(perceptor: str, word: str) -> bool:
    return not word or perceptor.startswith((f"({word} ", f"({word})"))
