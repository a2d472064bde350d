"""Effectors that hold the ball: ball handling of the middle-size league, and the catch of goalkeepers.

A robot with ball handling keeps the ball at its front while it moves. The goalkeeper of the older sphere robots takes
the ball (user manual, "Catch Effector").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld, soccer_world
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

KIND = "ball_handling"

APPROACH = 10.0
"""Speed at which the held ball approaches its place, as a fraction of the distance in a second, 1/s."""


@dataclass(frozen=True)
class BallHandlingParameters(Checked):
    """Parameters in YAML.

    Attributes:
        place: middle of the held ball, forward and left in the base link's frame, m.
        reach: distance from there along the ground at which the ball is taken, m.
        max_force: largest force on the ball, N; a robot that moves away faster loses it.
    """

    place: Annotated[tuple[float, float], Range(-10.0, 10.0)]
    reach: Annotated[float, Range(0.0, 10.0)]
    max_force: Positive


@dataclass
class HoldingForce:
    """A force along the ground that pulls a ball in reach to its place; a `Push` that goes on until it is ended.

    `released` is the time for which the ball is still let go, s.
    """

    robot: Robot
    parameters: BallHandlingParameters
    released: float = 0.0

    def apply(self, world: World, seconds: float) -> bool:
        """Pull the ball, unless it is out of reach; robots are too heavy to feel it."""
        if self.released > 0.0:
            self.released -= seconds
            return True
        ball, state = world.scene.ball, world.engine.state
        assert ball is not None
        place, velocity = place_and_velocity(world, self.robot, self.parameters.place)
        away = place - state.ball_position[:2]
        if np.hypot(*away) > self.parameters.reach or state.ball_position[2] > 2.0 * ball.radius:
            return True
        soccer_world(world).ball_handlers.add(self.robot.handle)
        change = velocity + APPROACH * away - state.ball_velocity[:2]
        most = self.parameters.max_force * seconds / ball.mass
        change *= min(1.0, most / max(float(np.hypot(*change)), 1e-9))
        vx, vy, vz = (state.ball_velocity + np.append(change, 0.0)).tolist()
        px, py, pz = state.ball_position.tolist()
        # The ball rolls: friction neither brakes nor drives it.
        world.engine.place_ball((px, py, pz), (vx, vy, vz), (-vy / ball.radius, vx / ball.radius, 0.0))
        return True


def place_and_velocity(world: World, robot: Robot, place: tuple[float, float]) -> tuple[Array, Array]:
    """Position (2,), m, and velocity (2,), m/s, in the world of a place (2,) in a robot's base link's frame."""
    state = world.engine.state
    row = state.row(robot.handle)
    arm = product(state.rotation[row], np.subtract((*place, 0.0), robot.description.model.base.centre))
    velocity = state.linear_velocity[row] + np.cross(state.angular_velocity[row], arm)
    return (state.position[row] + arm)[:2], velocity[:2]


@effector(KIND, topic=CommandTopic("std_msgs/msg/Bool", fields={"on": "data"}), for_agents=False)
def ball_handling(world: SoccerWorld, robot: SoccerRobot, parameters: BallHandlingParameters, on: bool) -> None:
    """Keep the ball at the robot's front from now on, or let it go."""
    world.require_ball(KIND)
    world.pushes.pop((robot.handle, KIND), None)
    if on:
        world.pushes[robot.handle, KIND] = HoldingForce(robot, parameters)


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

    Other players are refused, and the goalkeeper if the play mode or the position of the ball does not allow it.
    """
    world.require_ball("catch")
    side, field, state = robot.side, world.settings.field, world.engine.state
    if side is None or robot.unum != GOALKEEPER:
        raise CommandRejectedError(f"catch: only the goalkeeper, number {GOALKEEPER} of a team, can catch")
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
