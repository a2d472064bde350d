"""`simspark proxy`: serves agents near it, each with its full time, for a distant simulator."""

from __future__ import annotations

import argparse

from simspark_ros.commands.arguments import add_options, address, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.server.settings import ProxySettings


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "--server", type=address, required=True, metavar="HOST:PORT", help="proxy port of `simspark serve`"
    )
    add_options(parser, ProxySettings)


def run(options: argparse.Namespace) -> int:
    """Serve agents until SIGINT, SIGTERM or the end of the simulator; returns the exit status."""
    from simspark_ros.server.remote.proxy import run_proxy

    return run_proxy(ProxySettings(**chosen(options, ProxySettings)))
