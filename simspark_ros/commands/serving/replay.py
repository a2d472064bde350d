"""`simspark replay`: plays a monitor log to monitors, and the topics of an MCAP file to monitors and ROS 2."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.commands.serving.recordings import MCAP, of_mcap_files
from simspark_ros.server.settings import ReplaySettings


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="written by `simspark serve --log` or `simspark record`"
    )
    add_options(parser, ReplaySettings)


def run(options: argparse.Namespace) -> int:
    """Play until the end, SIGINT or SIGTERM; returns the exit status."""
    settings = ReplaySettings(options.file, **chosen(options, ReplaySettings))
    if options.file.suffix == MCAP:
        status: int = of_mcap_files("replay")(settings, options.ros_arguments)
        return status
    from simspark_ros.server.replay import replay

    return replay(settings)
