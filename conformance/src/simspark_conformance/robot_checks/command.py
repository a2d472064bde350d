"""`simspark robot check`: tries a robot on each engine, and says what is wrong."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_conformance.robot_checks import check_robot, engines_to_try, picture_of
from simspark_conformance.robot_checks.table import is_right, summary, table
from simspark_ros.commands.parser import CommandParser
from simspark_ros.commands.robots.robot import add_robot, load, write_picture


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "--engine",
        action="append",
        metavar="ENGINE",
        help="engine to check on; may be given several times [all installed]",
    )
    parser.add_argument(
        "--picture", type=Path, metavar="FILE.png", help="write a picture of the robot after five seconds"
    )
    add_robot(parser)


def run(options: argparse.Namespace) -> int:
    """Check; returns the exit status, 1 if anything is wrong.

    Raises:
        UserError: the robot cannot be read, or an engine is unknown or missing.
    """
    robot, engines = load(options), engines_to_try(options.engine or ())
    findings = {engine: list(check_robot(robot, engine)) for engine in engines}
    print("\n".join([*table(findings), "", f"{robot.name} on {summary(findings)}"]))
    if options.picture:
        write_picture(picture_of(robot, engines), options.picture)
    return 0 if is_right(findings) else 1
