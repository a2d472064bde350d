"""`simspark console`: a Python console in a running server."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from simspark_ros.commands.parser import CommandParser


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("path", type=Path, metavar="PATH", help="the socket that the server was given")


def run(options: argparse.Namespace) -> int:
    """Serve a person, or standard input; returns the exit status, 1 if there is no server or it has ended."""
    from simspark_ros.clients.console import ConsoleError, talk

    # History and editing of lines, where Python has them.
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401

    is_person = sys.stdin.isatty()
    if is_person:
        print("game.world, game.trainer('(playMode PlayOn)'), game.robot('nao'), ...; Ctrl-D ends", flush=True)
    try:
        talk(options.path, input if is_person else lambda prompt: input(), sys.stdout)
    except ConsoleError as error:
        print(f"simspark console: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
