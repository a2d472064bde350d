"""Commands of this repository's other distributions: plug-ins, if installed.

`simspark robot check` is one, too: a function that fills its parser, in the group `simspark_ros.robot_actions`.
"""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError

FOLDERS = {
    **dict.fromkeys(("match", "tournament", "referee-check", "video"), "matches"),
    **dict.fromkeys(("learn", "policy"), "learning"),
    "stress": "stress",
}
"""Sub-commands of `simspark`, and the folder of the distribution of each."""


def missing(command: str, folder: str) -> UserError:
    """The error about a command whose distribution, in a folder of the repository, is not installed."""
    return UserError(
        f"'{command}' is a command of simspark_{folder}, which is not installed;"
        f" in a checkout of simspark_ros 'pip install ./{folder}' installs it"
    )
