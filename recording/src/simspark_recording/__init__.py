"""Recordings of a simulation: topics become MCAP files; these and monitor logs are played."""

from __future__ import annotations

from typing import Any

COMMANDS = {
    "record": "write the topics of a running simulator into an MCAP file",
    "replay": "play a monitor log, or topics in an MCAP file",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    # Importing the package needs no commands.
    from simspark_ros.commands.satellites import add_commands

    add_commands(commands, "simspark_recording.commands", COMMANDS)
