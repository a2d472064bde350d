"""Commands of this repository's other distributions: plug-ins, if installed.

A group of entry points is for these distributions alone: `simspark_ros.robot_actions` has functions that fill the
parsers of `simspark robot check` and `export`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simspark_ros.configuration.errors import UserError

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser

FOLDERS = {
    **dict.fromkeys(("match", "tournament", "referee-check"), "matches"),
    **dict.fromkeys(("learn", "policy", "fit-motor", "motor-plot", "motion-model", "map"), "learning"),
    **dict.fromkeys(("view", "video"), "watching"),
    **dict.fromkeys(("record", "replay"), "recording"),
    "stress": "stress",
}
"""Sub-commands of `simspark`, and the folder of the distribution of each."""

_BENEATH = {"watching": "./recording "}
"""Folders that pip has to be given, too, as the distribution of a folder needs theirs."""


def missing(wish: str, folder: str) -> UserError:
    """The error about a wish whose distribution, in a folder of the repository, is not installed."""
    return UserError(
        f"{wish} needs simspark_{folder}, which is not installed;"
        f" in a checkout of simspark_ros 'pip install {_BENEATH.get(folder, '')}./{folder}' installs it"
    )


def add_commands(commands: Any, package: str, texts: Mapping[str, str]) -> None:
    """Add sub-commands of `simspark` by their descriptions; each is a module of a package, loaded when it is used."""
    for name, text in texts.items():
        fill = partial(_fill, f"{package}.{name.replace('-', '_')}")
        commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=fill)


def _fill(module: str, parser: CommandParser) -> None:
    import_module(module).fill(parser)
