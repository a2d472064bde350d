"""`simspark robot export`: writes a robot's model for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_conformance.robot_export.mjcf import export_mjcf
from simspark_conformance.robot_export.urdf import export_urdf
from simspark_ros.commands.parser import CommandParser
from simspark_ros.commands.robots.robot import add_robot, load


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("--to", choices=("urdf", "mjcf"), default="urdf", help="the format [urdf]")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file; meshes go beside it")
    add_robot(parser)


def run(options: argparse.Namespace) -> int:
    """Write the files and name them; returns the exit status.

    Raises:
        UserError: the robot cannot be read, or its files cannot be written.
    """
    export = export_mjcf if options.to == "mjcf" else export_urdf
    for path in export(load(options), options.output):
        print(path)
    return 0
