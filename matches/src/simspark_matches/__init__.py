"""Matches and tournaments without a person, and cases for the referee."""

from __future__ import annotations

from typing import Any

COMMANDS = {
    "match": "play a match between two teams, without a person",
    "tournament": "play a round robin and write a table",
    "referee-check": "play referee cases written in YAML",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    # Importing the package needs no commands.
    from simspark_ros.commands.satellites import add_commands

    add_commands(commands, "simspark_matches.commands", COMMANDS)
