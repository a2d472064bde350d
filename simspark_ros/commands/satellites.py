"""Commands of this repository's other distributions: plug-ins, if installed.

Two groups of entry points are for these distributions alone: `simspark_ros.robot_actions` has a function that fills the
parser of `simspark robot check`, `simspark_ros.mcap_files` those of `recordings.of_mcap_files`.
"""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError

FOLDERS = {
    **dict.fromkeys(("match", "tournament", "referee-check"), "matches"),
    **dict.fromkeys(("learn", "policy", "fit-motor", "motor-plot", "motion-model", "map"), "learning"),
    **dict.fromkeys(("view", "video"), "watching"),
    "record": "recording",
    "stress": "stress",
}
"""Sub-commands of `simspark`, and the folder of the distribution of each."""


def missing(wish: str, folder: str) -> UserError:
    """The error about a wish whose distribution, in a folder of the repository, is not installed."""
    return UserError(
        f"{wish} needs simspark_{folder}, which is not installed;"
        f" in a checkout of simspark_ros 'pip install ./{folder}' installs it"
    )
