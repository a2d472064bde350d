"""What people watch: the page of a match in browsers, films of logs, and what both show alike."""

from __future__ import annotations

from typing import Any

COMMANDS = {
    "view": "show a running server, or a monitor log, in web browsers",
    "video": "render a monitor log as MP4 or GIF, without a screen",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    # Importing the package needs no commands.
    from simspark_ros.commands.satellites import add_commands

    add_commands(commands, "simspark_watching.commands", COMMANDS)
