"""The `simspark` command: reads the command line, runs a sub-command, prints errors for the user.

Slow modules are imported in `main`, where Ctrl-C ends in a line.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from simspark_ros.commands.parser import CommandParser

BAD_INPUT = 2
"""Exit status for a wrong argument, file or port."""

BROKEN_OFF = 128 + signal.SIGINT
"""Exit status after Ctrl-C, for a command without an orderly end of its own."""

UNREAD = 128 + signal.SIGPIPE
"""Exit status when nothing reads the output any more, as after `simspark list | head -1`."""

WITHOUT_PLUG_INS = "--no-plug-ins"
"""Option of all commands; it stands anywhere."""

COMMANDS = {
    "serve": "simulate a world, with agent port, monitor port and ROS 2 topics",
    "proxy": "serve agents on their own machine for a distant simulator, so that each has its full time",
    "team": "the demonstration team: plays on any server of the classic protocol",
    "wave": "an agent that joins a running server and waves its arms",
    "sense": "an agent that joins a running server and prints its percepts",
    "console": "a Python console in a server that runs with --console PATH",
    "list": "list worlds, robots, rule books and other names to choose from",
    "new": "write a working agent, team, robot or plug-in to begin with",
    "robot": "inspect a robot's file, check the robot on each engine, or export it",
}
"""Description of each sub-command; its module in `commands/`, or in its folder there, is loaded when it is used."""

FOLDERS = {
    "serving": ("serve", "proxy", "record", "replay", "console"),
    "watching": ("view", "video"),
    "agents": ("team", "wave", "sense", "new"),
    "games": ("match", "tournament", "referee-check"),
    "robots": ("robot", "fit-motor", "motor-plot", "motion-model", "map"),
}
"""Sub-commands by their heading in the help; the commands of `COMMANDS` are in a folder of that name in `commands/`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with arguments, None = the process's; returns the exit status."""
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            # Also after --help, which ends by an exception.
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("simspark: interrupted", file=sys.stderr)
        return BROKEN_OFF
    except BrokenPipeError:
        from simspark_ros.terminal import give_up, is_unread

        if not is_unread(sys.stdout):
            raise
        give_up(sys.stdout)
        return UNREAD


def _run(arguments: list[str]) -> int:
    from simspark_ros.configuration.errors import UserError

    own, ros = _split(arguments)
    try:
        if WITHOUT_PLUG_INS in own:
            from simspark_ros.configuration.entry_points import WITHOUT

            own.remove(WITHOUT_PLUG_INS)
            # Before the parser is built, because plug-ins add commands.
            os.environ[WITHOUT] = "1"
        # The search for plug-ins takes longer than all else here.
        options = build_parser(plug_ins=not own or own[0] not in COMMANDS).parse_args(own)
        options.ros_arguments = ros
        from simspark_ros.configuration.c_library import end_with_parent, keep_memory_small

        end_with_parent()
        keep_memory_small()
        status: int = options.run(options)
    except UserError as error:
        from simspark_ros.terminal import fitted

        print(fitted(f"simspark: {error}", sys.stderr), file=sys.stderr)
        return BAD_INPUT
    return status


def build_parser(plug_ins: bool = True) -> argparse.ArgumentParser:
    """The parser of all sub-commands, with or without sub-commands of plug-ins."""
    from functools import partial

    from simspark_ros import __version__
    from simspark_ros.commands.parser import CommandParser

    parser = CommandParser(
        prog="simspark", description="Robot soccer simulator for ROS 2 and for classic SimSpark agents."
    )
    parser.add_argument("--version", action="version", version=f"simspark_ros {__version__}")
    parser.add_argument(WITHOUT_PLUG_INS, action="store_true", help="leave out all plug-ins of other distributions")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=partial(_fill, name))
    if plug_ins:
        from simspark_ros.commands import satellites
        from simspark_ros.configuration.entry_points import Group

        group = Group("simspark_ros.commands")
        for name, register in group.plug_ins().items():
            with group.left_out_if_broken(name):
                register(commands)
        for name in satellites.FOLDERS.keys() - commands.choices.keys():
            commands.add_parser(name, fill=partial(_refuse, name))
    in_folders = {name for names in FOLDERS.values() for name in names}
    parser.headings = {**FOLDERS, "others": [name for name in commands.choices if name not in in_folders]}
    return parser


def _fill(name: str, parser: CommandParser) -> None:
    from importlib import import_module

    folder = next((f"{folder}." for folder, names in FOLDERS.items() if name in names), "")
    module = "list_names" if name == "list" else name.replace("-", "_")
    import_module(f"simspark_ros.commands.{folder}{module}").fill(parser)


def _refuse(name: str, parser: CommandParser) -> None:
    from simspark_ros.commands import satellites

    raise satellites.missing(f"'{name}'", satellites.FOLDERS[name])


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Separate this program's arguments from ROS arguments, which stand between `--ros-args` and `--`."""
    if "--ros-args" not in arguments:
        return arguments, []
    start = arguments.index("--ros-args")
    end = arguments.index("--", start) + 1 if "--" in arguments[start:] else len(arguments)
    return arguments[:start] + arguments[end:], arguments[start:end]


if __name__ == "__main__":
    sys.exit(main())
