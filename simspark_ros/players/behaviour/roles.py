"""Choice of the player that goes to the ball: all say how long they would take, and the fastest goes."""

from __future__ import annotations

import math

from simspark_ros.players.speech import NEVER
from simspark_ros.players.team_settings import EffortSettings
from simspark_ros.players.world_model import WorldModel

GETTING_UP = 3.0
"""Time to get up, s."""

RECENT_BALL = 4.0
"""Age of the ball beyond which a player does not go, s."""


def effort(world: WorldModel, settings: EffortSettings) -> float:
    """Time that the player would take to the place behind the ball, s; `NEVER` if it does not know the ball."""
    pose, ball = world.pose, world.ball.place
    if pose is None or ball is None or world.ball_age > RECENT_BALL:
        return NEVER
    to_goal = pose.local(world.goal)
    away = ball.to(to_goal).bearing - ball.bearing
    seconds = ball.range / settings.speed + abs(ball.bearing) / settings.turn
    seconds += settings.wrong_side * (1.0 - math.cos(away)) / 2.0
    if world.fallen:
        seconds += GETTING_UP
    if world.time < world.barred_until:
        seconds += settings.barred
    return seconds - settings.lead if world.was_nearest else seconds


def is_nearest(world: WorldModel, own: float) -> bool:
    """Whether the player, with its `own` effort (s), goes to the ball; the lower number wins a tie."""
    if own >= NEVER:
        return False
    return all((own, world.unum) < (mate.effort, unum) for unum, mate in world.active_mates().items())
