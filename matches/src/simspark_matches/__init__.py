"""Matches and tournaments without a person, and cases for the referee."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser

COMMANDS = {
    "match": "play a match between two teams, without a person",
    "tournament": "play a round robin and write a table",
    "referee-check": "play referee cases written in YAML",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=partial(_fill, name))


def _fill(name: str, parser: CommandParser) -> None:
    import_module(f"simspark_matches.commands.{name.replace('-', '_')}").fill(parser)
