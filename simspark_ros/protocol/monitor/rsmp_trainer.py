"""Trainer commands as the monitors of the league since 2026 write them; all others are the classic ones.

Robots are placed in an upright home pose; `move` has its angle in degrees from +x, `move3d` a quaternion w, x, y, z.
Teams are named by side or by their own name.
"""

from __future__ import annotations

import math

from simspark_ros.exchange import Argument
from simspark_ros.protocol.agent.actions import shown
from simspark_ros.protocol.monitor.trainer import COMMANDS, Arguments, CommandReader, Order, TrainerError

_SIDES = {word: side for side in ("left", "right") for word in (side, side.capitalize(), side[0], side[0].upper())}

_PLACES = {"pos": 3, "move": 4, "move3d": 7}
"""Numbers of each way to place a robot; the last one given counts."""


def _agent(arguments: Arguments) -> list[Order]:
    words = [word for word in _PLACES if word in arguments]
    if not words or not {"unum", "team"} <= arguments.names:
        raise TrainerError(
            "agent: needs (unum U), (team T) and (pos x y z), (move x y z deg) or (move3d x y z w x y z)"
        )
    word = words[-1]
    x, y, z, *turn = arguments.numbers(word, _PLACES[word])
    w, qx, qy, qz = 1.0, 0.0, 0.0, 0.0
    if word == "move":
        half = math.radians(turn[0] % 360.0) / 2
        w, qz = math.cos(half), math.sin(half)
    elif word == "move3d":
        length = math.hypot(*turn)
        if length < 1e-6:
            raise TrainerError("agent: (move3d ...): the quaternion has no length")
        w, qx, qy, qz = (number / length for number in turn)
    team = arguments.named_word("team")
    return [("agent_place", (_SIDES.get(team, team), arguments.unum(), x, y, z, qx, qy, qz, w))]


def _ball(arguments: Arguments) -> list[Order]:
    if "pos" not in arguments:
        raise TrainerError("ball: needs (pos x y z), and takes (vel x y z)")
    velocity = arguments.numbers("vel", 3) if "vel" in arguments else (0.0, 0.0, 0.0)
    values: tuple[Argument, ...] = (*arguments.numbers("pos", 3), *velocity)
    return [("ball", values)]


def _kick_off(arguments: Arguments) -> list[Order]:
    team = arguments.word()
    # Only a command without any argument means either team.
    if (team or arguments.names) and team not in _SIDES:
        raise TrainerError(f"kickOff: needs Left, Right or nothing, not {shown(team)}")
    return [("kick_off", (_SIDES.get(team, ""),))]


RSMP_COMMANDS: dict[str, CommandReader] = {**COMMANDS, "agent": _agent, "ball": _ball, "kickOff": _kick_off}
"""Readers of commands, as `COMMANDS`."""
