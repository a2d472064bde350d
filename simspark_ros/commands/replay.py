"""`simspark replay`: plays a monitor log to monitors."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.arguments import SubParsers, add_options, chosen
from simspark_ros.server.settings import ReplaySettings


def register(commands: SubParsers) -> None:
    """Add the command."""
    parser = commands.add_parser("replay", help="play a monitor log to monitors")
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="written by `simspark serve --log`")
    add_options(parser, ReplaySettings)


def run(options: argparse.Namespace) -> int:
    """Play until the end, SIGINT or SIGTERM; returns the exit status."""
    from simspark_ros.server.replay import replay

    return replay(ReplaySettings(options.file, **chosen(options, ReplaySettings)))
