"""`simspark record`: writes the topics of a running simulator into an MCAP file."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_recording.settings import RecordSettings, require_mcap
from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE.mcap", help="file for `simspark replay`, `ros2 bag`, Foxglove")
    add_options(parser, RecordSettings)


def run(options: argparse.Namespace) -> int:
    """Record until SIGINT or SIGTERM, or an end that an option says; returns the exit status.

    Raises:
        UserError: an argument is wrong or something is missing.
    """
    require_mcap()
    from simspark_recording.topics.recorder import record

    return record(RecordSettings(options.file, **chosen(options, RecordSettings)), options.ros_arguments)
