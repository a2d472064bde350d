"""Catch effector: the goalkeeper of the older sphere robots takes the ball (user manual, "Catch Effector")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

GOALKEEPER = 1
"""Uniform number of the goalkeeper."""

GAP = 0.02
"""Gap between robot and caught ball, m: within the margin of a kick."""

WALL_DISTANCE = 0.5
"""Least distance of players that are moved away from the outer walls, m."""


_Distance = Annotated[float, Range(0.0, 1000.0)]


@dataclass(frozen=True)
class CatchParameters(Checked):
    """Parameters in YAML, m: the ball is at most `margin` away; players within `clearance` are moved away by `move`."""

    margin: _Distance = 2.0
    clearance: _Distance = 2.0
    move: _Distance = 5.0


@effector("catch", topic=CommandTopic("std_msgs/msg/Empty"), for_agents=False)
def catch(world: SoccerWorld, robot: SoccerRobot, parameters: CatchParameters) -> None:
    """Put the ball at rest before the goalkeeper, on the side of the opponents, and move players near it away.

    Refused to other players, and if play mode or position of the ball do not allow it.
    """
    world.require_ball("catch")
    side, field, state = robot.side, world.settings.field, world.engine.state
    if side is None or robot.unum != GOALKEEPER:
        raise CommandRejectedError(f"catch: only the goalkeeper, number {GOALKEEPER} of a team, can")
    if world.game.play_mode is not PlayMode.PLAY_ON:
        raise CommandRejectedError(f"catch: is possible in PlayOn only, not in {world.game.play_mode.value}")
    x, y, _ = state.position[state.row(robot.handle)].tolist()
    ball_x, ball_y, _ = state.ball_position.tolist()
    distance = math.hypot(ball_x - x, ball_y - y)
    if distance > parameters.margin:
        raise CommandRejectedError(f"catch: the ball is {distance:.2f} m away, more than {parameters.margin:g} m")
    from_line = field.length / 2 + side.sign * ball_x
    if not 0 <= from_line <= field.penalty_length or abs(ball_y) > field.penalty_width / 2:
        raise CommandRejectedError("catch: the ball is not in the own penalty area")
    for key in [key for key in world.pushes if key[1] == "kick"]:
        del world.pushes[key]
    for other in world.robots.values():
        if other is not robot:
            _clear(world, other, x, y, parameters)
    reach = robot.description.spawn_height + world.settings.ball.radius + GAP
    world.place_ball((x + side.sign * reach, y))


def _clear(world: SoccerWorld, other: SoccerRobot, x: float, y: float, parameters: CatchParameters) -> None:
    """Move a player that is too near to (x, y) straight away from there."""
    state, field = world.engine.state, world.settings.field
    ox, oy, oz = state.position[state.row(other.handle)].tolist()
    distance = math.hypot(ox - x, oy - y)
    if distance >= parameters.clearance:
        return
    away = math.atan2(oy - y, ox - x)
    limit_x = field.wall_distance_x - field.wall_thickness / 2 - WALL_DISTANCE
    limit_y = field.wall_distance_y - field.wall_thickness / 2 - WALL_DISTANCE
    to_x = min(max(ox + parameters.move * math.cos(away), -limit_x), limit_x)
    to_y = min(max(oy + parameters.move * math.sin(away), -limit_y), limit_y)
    world.move(other, to_x, to_y, oz)
