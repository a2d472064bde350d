"""The grammar of texts by which trainers and settings name players that run in the simulation."""

from __future__ import annotations

import random

from simspark_ros.configuration.schema import declarations
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.simulation.player_plugins.host import PLAYERS
from simspark_stress.fuzz.doors.schema import draw_value
from simspark_stress.fuzz.grammar import word

PLAYER_NAMES = ("p1", "p2")

_ABSURD = 0.1


def player_text(source: random.Random) -> str:
    """Draw `name=kind[?option=value&...]`, mostly with an existing kind and options that it declares."""
    kind = word(source, *PLAYERS)
    declared = declarations(PLAYERS[kind].options) if kind in PLAYERS else []
    chosen = source.sample(list(declared), source.randint(0, min(3, len(declared))))
    options = [f"{one.name}={draw_value(source, one, None, _ABSURD)}" for one in chosen if one.name != "robot"]
    if source.random() < 0.3:
        options.append(f"robot={word(source, *robot_names())}")
    return f"{word(source, *PLAYER_NAMES)}={kind}" + (f"?{'&'.join(options)}" if options else "")
