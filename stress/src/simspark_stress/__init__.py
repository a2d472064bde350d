"""The hostile-client suite attacks a server of the league's protocols while a good client watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser

_TEXT = "attack a server of the league's protocols and report the attacks that did harm"


def register(commands: Any) -> None:
    """Add the sub-command `simspark stress`; its options are loaded when it is used."""
    commands.add_parser("stress", help=_TEXT, description=f"{_TEXT.capitalize()}.", fill=_fill)


def _fill(parser: CommandParser) -> None:
    from simspark_stress.command import fill

    fill(parser)
