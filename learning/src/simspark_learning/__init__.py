"""Tasks to learn, environments made of them for Gymnasium and PettingZoo, training, policies, learned models."""

from __future__ import annotations

from typing import Any

COMMANDS = {
    "learn": "train a policy for a task; Ctrl-C ends it and keeps the result",
    "policy": "move a robot on ROS topics by a policy of `simspark learn`",
    "fit-motor": "find the parameters of a motor in measured series",
    "motor-plot": "draw torque and speed, heat and battery of a robot's motors",
    "motion-model": "learn from recorded driving how a robot on wheels moves",
    "map": "learn the sensor values to expect at each pose, for localization",
}
"""Description of each sub-command; its module in `commands/` is loaded when it is used."""


def register(commands: Any) -> None:
    """Add the sub-commands of `simspark`."""
    # Importing the package, e.g. for environments, needs no commands.
    from simspark_ros.commands.satellites import add_commands

    add_commands(commands, "simspark_learning.commands", COMMANDS)
