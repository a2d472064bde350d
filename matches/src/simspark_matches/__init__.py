"""Matches and tournaments without a person, films of them, and cases for the referee."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser


def register_match(commands: Any) -> None:
    """Add the sub-command `simspark match`; its options are loaded when it is used."""
    _add(commands, "match", "play a match between two teams, without a person")


def register_tournament(commands: Any) -> None:
    """Add the sub-command `simspark tournament`; its options are loaded when it is used."""
    _add(commands, "tournament", "play a round robin and write a table")


def register_referee_check(commands: Any) -> None:
    """Add the sub-command `simspark referee-check`; its options are loaded when it is used."""
    _add(commands, "referee-check", "play referee cases written in YAML")


def register_video(commands: Any) -> None:
    """Add the sub-command `simspark video`; its options are loaded when it is used."""
    _add(commands, "video", "render a monitor log as MP4 or GIF, without a screen")


def _add(commands: Any, name: str, text: str) -> None:
    commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=partial(_fill, name))


def _fill(name: str, parser: CommandParser) -> None:
    import_module(f"simspark_matches.commands.{name.replace('-', '_')}").fill(parser)
