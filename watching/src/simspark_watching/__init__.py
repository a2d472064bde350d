"""What people watch: the page of a match in browsers, films of logs, and what both show alike."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser

COMMANDS = {
    "view": "show a running server, or a monitor log, in web browsers",
    "video": "render a monitor log as MP4 or GIF, without a screen",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=partial(_fill, name))


def _fill(name: str, parser: CommandParser) -> None:
    import_module(f"simspark_watching.commands.{name}").fill(parser)
