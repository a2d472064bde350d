"""The world of a league in which the game of a monitor log is played."""

from __future__ import annotations

import re
from pathlib import Path

from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.soccer.settings import load_soccer_settings

_WORLDS = ("fifa7vs7", "fifa", "spl", "kidsize", "msl")
"""Worlds of leagues, each with a field and a ball of its own; others are shown as soccer's."""


def world_of_log(path: Path) -> str:
    """The league's world in which the game of a log is played, by field and ball; empty if it is none of `_WORLDS`."""
    first = next(read_frames(path, b""))

    def told(name: str) -> str:
        found = re.search(rb"\(%s ([^()]*)\)" % name.encode(), first)
        return found[1].decode("latin-1") if found else ""

    sizes = {name: told(name) for name in ("FieldLength", "FieldWidth", "BallRadius")}
    for world in _WORLDS:
        environment = load_soccer_settings(world).environment
        if all(text == f"{environment[name]:g}" for name, text in sizes.items()):
            return world
    return ""
