"""`simspark robot`: shows a robot's file as understood; conformance/ adds `check` and `export`."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.commands.satellites import missing
from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError, reason
from simspark_ros.configuration.foreign import prepare
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.robots.files.format_table import FOREIGN_PROGRAM, FORMATS

if TYPE_CHECKING:
    from simspark_ros.rendering.renderer import Picture
    from simspark_ros.robots.description import RobotDescription

MORE = {
    "check": "try it on each engine: bodies, joints, sensors, rest; status 1 if wrong",
    "export": "write its model in a format that other programs read",
}
"""Actions of another distribution of this project."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    inspect = actions.add_parser("inspect", help="show the report of its import, masses, joints, sensors, effectors")
    inspect.set_defaults(run=_inspect)
    inspect.add_argument("--picture", type=Path, metavar="FILE.png", help="write a picture of the robot, too")
    add_robot(inspect)
    for action, text in MORE.items():
        actions.add_parser(action, help=text, fill=partial(_fill, action))


def add_robot(action: CommandParser) -> None:
    """Add the arguments that name a robot, for `load`."""
    named = f"name or {', '.join(FORMATS)} file, as for `serve --robot`, e.g. FILE?fixed_base=true"
    action.add_argument("robot", metavar="ROBOT", help=named)
    action.add_argument("--type", type=int, default=0, metavar="N", help="heterogeneous type [0]")
    meshes = "collision shapes of meshes; replaces the setting of the robot's YAML file [hulls]"
    action.add_argument("--mesh-collisions", choices=("hulls", "boxes", "parts"), help=meshes)
    action.common = ("type", "mesh_collisions", "picture", "engine", "to")
    add_options(action.add_argument_group("limits on robots from files"), LimitSettings)


def _fill(action: str, parser: CommandParser) -> None:
    fills = Group("simspark_ros.robot_actions").plug_ins()
    if action not in fills:
        raise missing(f"'robot {action}'", "conformance")
    fills[action](parser)


def _inspect(options: argparse.Namespace) -> int:
    from simspark_ros.commands.robots.inspection import lines_of
    from simspark_ros.simulation.robot_checks import check_alone

    robot = load(options)
    check_alone(robot)
    print("\n".join(lines_of(robot)))
    if options.picture:
        from simspark_ros.rendering.portrait import portrait

        write_picture(portrait(robot), options.picture)
    return 0


def write_picture(picture: Picture, path: Path) -> None:
    """Write a picture and say so; a UserError if that fails."""
    from PIL import Image

    try:
        Image.fromarray(picture).save(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be written: {reason(error)}") from None
    print(f"picture: {path}")


def load(options: argparse.Namespace) -> RobotDescription:
    """The robot that is named as for `serve --robot`, read within the limits."""
    if options.robot.partition("?")[0].endswith(tuple(FORMATS)):
        prepare(FOREIGN_PROGRAM)
    from simspark_ros.simulation.loading.robot_resources import named_resource

    resource = named_resource(options.robot)[1]
    limits = for_own_files(LimitSettings(**chosen(options, LimitSettings)))
    variant = options.type or resource.variant
    return resource._replace(variant=variant).load(limits, meshes=options.mesh_collisions)
