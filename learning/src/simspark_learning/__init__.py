"""Tasks to learn, environments made of them for Gymnasium and PettingZoo, training, and trained policies."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspark_ros.commands.parser import CommandParser


def register_learn(commands: Any) -> None:
    """Add the sub-command `simspark learn`; its options are loaded when it is used."""
    _add(commands, "learn", "train a policy for a task; Ctrl-C ends it and keeps the result")


def register_policy(commands: Any) -> None:
    """Add the sub-command `simspark policy`; its options are loaded when it is used."""
    _add(commands, "policy", "move a robot on ROS topics by a policy of `simspark learn`")


def _add(commands: Any, name: str, text: str) -> None:
    commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", fill=partial(_fill, name))


def _fill(name: str, parser: CommandParser) -> None:
    import_module(f"simspark_learning.commands.{name}").fill(parser)
