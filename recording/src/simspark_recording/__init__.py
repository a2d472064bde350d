"""Recordings of topics: MCAP files are written, read, published again and shown to monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser

_TEXT = "write the topics of a running simulator into an MCAP file"


def register(commands: Any) -> None:
    """Add the sub-command `simspark record`; its options are loaded when it is used."""
    commands.add_parser("record", help=_TEXT, description=f"{_TEXT[0].upper()}{_TEXT[1:]}.", fill=_fill)


def _fill(parser: CommandParser) -> None:
    from simspark_recording.command import fill

    fill(parser)
