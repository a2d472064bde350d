"""`simspark robot`: shows a robot's file as understood; conformance/ adds `check` and `export`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
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
    from simspark_ros.simulation.robot_checks import check_alone

    robot = load(options)
    check_alone(robot)
    print("\n".join(_lines(robot)))
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


def _lines(robot: RobotDescription) -> Iterator[str]:
    from simspark_ros.motion.wheels.dragging import dragging
    from simspark_ros.robots.body.kinematics import base_frame

    model = robot.model
    size = f"{model.mass:.4g} kg, {len(model.links)} links, {len(model.joints)} joints"
    stands = "is bolted to the world" if model.fixed_base else "stands"
    base, pose = base_frame(model)
    # Of the frame, as TF has it; the height at the spawn is that of the base's centre of mass.
    height = round(robot.spawn_height + pose.position[2], 6)
    yield f"{robot.name}: {size}; it {stands} with the frame {base} {height:.3g} m above the ground"
    yield from ("", f"{'link':32} {'kg':>8}  solids")
    for link in model.links:
        solids = Counter(shape.kind.value for shape in link.collisions)
        told = ", ".join(f"{count} {kind}" for kind, count in solids.items())
        yield f"{link.name:32} {link.mass:8.4g}  {told or '-'}"
    yield from ("", f"{'joint':32} {'kind':10}   lower   upper  velocity  effort")
    if model.joints:
        yield "(rad, rad/s, N m; prismatic: m, m/s, N)"
    for joint in model.joints:
        numbers = f"{joint.lower:7.3g} {joint.upper:7.3g} {joint.max_velocity:9.3g} {joint.max_effort:7.3g}"
        follows = "" if joint.mimic is None else f"  follows {joint.mimic.joint}"
        yield f"{joint.name:32} {joint.kind.value:10} {numbers}{follows}"
    yield from ("", "sensors")
    yield from (f"  {spec.kind} '{spec.name}'" + (f" on {spec.link}" if spec.link else "") for spec in robot.perceptors)
    yield from ("", "effectors")
    yield from (
        f"  {spec.kind} '{spec.name}'" + (f" on {spec.joint}" if spec.joint else "") for spec in robot.effectors
    )
    if warnings := [*robot.report.warnings, *dragging(robot)]:
        yield from ("", *warnings)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in robot.report.counts().items())
    yield from ("", f"report: {counts}", *robot.report.lines())
