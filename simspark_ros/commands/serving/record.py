"""`simspark record`: writes the topics of a running simulator into an MCAP file."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.recording.settings import RecordSettings


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
    from simspark_ros.ros.recording.recorder import record

    return record(RecordSettings(options.file, **chosen(options, RecordSettings)), options.ros_arguments)


def require_mcap() -> None:
    """Check that rclpy and mcap are installed, without loading them.

    Raises:
        UserError: one is not.
    """
    for package in ("rclpy", "mcap"):
        if find_spec(package) is None:
            extra = "ros" if package == "rclpy" else "recording"
            raise UserError(f"MCAP files need {package}: pip install 'simspark_ros[{extra}]'")
