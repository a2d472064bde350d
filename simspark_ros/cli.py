"""The `simspark` command: reads the command line, runs a sub-command, prints errors for the user."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from simspark_ros import __version__
from simspark_ros.commands import (
    console,
    fit_motor,
    learn,
    list_names,
    match,
    motion_model,
    motor_plot,
    new,
    policy,
    proxy,
    record,
    referee_check,
    replay,
    robot,
    sense,
    serve,
    stress,
    team,
    tournament,
    video,
    view,
    wave,
)
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.c_library import keep_memory_small
from simspark_ros.configuration.entry_points import WITHOUT, Group
from simspark_ros.configuration.errors import UserError

BAD_INPUT = 2
"""Exit status for a wrong argument, file or port."""

WITHOUT_PLUG_INS = "--no-plug-ins"
"""Option of all commands; it stands anywhere."""

GROUP = Group("simspark_ros.commands")
"""Entry points for sub-commands of other distributions."""

COMMANDS = (
    *(serve, proxy, team, wave, sense, record, replay, view, video, console, stress, match, tournament, referee_check),
    *(list_names, new, robot, fit_motor, motor_plot, motion_model, learn, policy),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with arguments, None = those of the process; returns the exit status."""
    keep_memory_small()
    own, ros = _split(list(sys.argv[1:] if arguments is None else arguments))
    if WITHOUT_PLUG_INS in own:
        own.remove(WITHOUT_PLUG_INS)
        # Before the parser is built, because plug-ins add commands.
        os.environ[WITHOUT] = "1"
    try:
        options = build_parser().parse_args(own)
        options.ros_arguments = ros
        status: int = options.run(options)
    except UserError as error:
        print(f"simspark: {error}", file=sys.stderr)
        return BAD_INPUT
    return status


def build_parser() -> argparse.ArgumentParser:
    """The parser of all sub-commands, those of plug-ins included."""
    parser = CommandParser(
        prog="simspark", description="Robot soccer simulator for ROS 2 and for classic SimSpark agents."
    )
    parser.add_argument("--version", action="version", version=f"simspark_ros {__version__}")
    parser.add_argument(WITHOUT_PLUG_INS, action="store_true", help="leave out all plug-ins of other distributions")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.register(commands)
    for name, register in GROUP.plug_ins().items():
        with GROUP.left_out_if_broken(name):
            register(commands)
    return parser


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Separate this program's arguments from those of ROS, which stand between `--ros-args` and `--`."""
    if "--ros-args" not in arguments:
        return arguments, []
    start = arguments.index("--ros-args")
    end = arguments.index("--", start) + 1 if "--" in arguments[start:] else len(arguments)
    return arguments[:start] + arguments[end:], arguments[start:end]


if __name__ == "__main__":
    sys.exit(main())
