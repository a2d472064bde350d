"""Names of the targets that a camera follows. Reading a command line loads this: it loads nothing heavy."""

from __future__ import annotations

import re
from typing import Annotated

from simspark_ros.configuration.schema import ConfigurationError, Setting

FREE, TV, BALL = "free", "tv", "ball"
"""Names for no target, for play as on television, and for the ball, which stays in the middle."""

_TARGET = re.compile(rf"{FREE}|{TV}|{BALL}|(left|right|robot) [1-9]\d*")

Follow = Annotated[
    str, Setting("first target of the camera: tv, ball, free, or a robot such as 'left 5'", metavar="WHAT")
]


def require_target(name: str) -> None:
    """Check the name of a camera's target.

    Raises:
        ConfigurationError: there is nothing of that name.
    """
    if not _TARGET.fullmatch(name):
        allowed = f"{TV}, {BALL}, {FREE}, 'left 5', 'right 5' (a player), 'robot 5'"
        raise ConfigurationError(f"the viewer cannot follow '{name}': it is none of {allowed}")
