"""The smallest agent that does something: joins a team, beams itself and waves. `simspark wave` runs it."""

from __future__ import annotations

import math
from collections.abc import Callable

from simspark_ros.clients.classic_client import PATIENCE, ClassicClient, enter, game_state, joint_angles

WAVE_SPEED = 2.0
"""Amplitude of the elbows' speed, rad/s."""

LIFT_DEG = 60.0
"""Angle to which the arms are raised before waving, degrees."""


def wave(
    client: ClassicClient,
    team: str,
    unum: int,
    variant: int,
    cycles: int | None = None,
    joins: Callable[[str], object] = lambda became: None,
) -> str:
    """Join and wave until the server goes away, or for a number of cycles; `joins` gets its side and number at once.

    Returns:
        Its side and number, e.g. `left 1`; empty if the server did not accept it.
    """
    enter(client, team, unum, variant)
    joined = ""
    cycle = 0
    while cycles is None or cycle < cycles:
        message = client.receive()
        state = game_state(message)
        if not joined and "unum" in state:
            joined = f"{state['team']} {state['unum']}"
            joins(joined)
        if not joined and cycle == PATIENCE:
            break
        client.send(_command(cycle, joint_angles(message)) + "(syn)")
        cycle += 1
    return joined


def _command(cycle: int, angles: dict[str, float]) -> str:
    if cycle == 10:
        return "(beam -1.5 0 0)"
    lift = math.radians(LIFT_DEG - angles.get("laj1", LIFT_DEG)) * 5
    swing = WAVE_SPEED * math.sin(cycle * 0.02 * 2 * math.pi)
    return f"(lae1 {lift:.2f})(rae1 {lift:.2f})(lae4 {swing - 1:.2f})(rae4 {1 - swing:.2f})"
