"""Ball handling effector: a robot of the middle-size league keeps the ball at its front while it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.physics.engine import Array
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld, soccer_world
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

KIND = "ball_handling"

APPROACH = 10.0
"""Part of the distance to its place by which the held ball comes nearer in a second, 1/s."""


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
    arm = state.rotation[row] @ (np.array((*place, 0.0)) - robot.description.model.base.centre)
    velocity = state.linear_velocity[row] + np.cross(state.angular_velocity[row], arm)
    return (state.position[row] + arm)[:2], velocity[:2]


@effector(KIND, topic=CommandTopic("std_msgs/msg/Bool", fields={"on": "data"}), for_agents=False)
def ball_handling(world: SoccerWorld, robot: SoccerRobot, parameters: BallHandlingParameters, on: bool) -> None:
    """Keep the ball at the robot's front from now on, or let it go."""
    world.require_ball(KIND)
    world.pushes.pop((robot.handle, KIND), None)
    if on:
        world.pushes[robot.handle, KIND] = HoldingForce(robot, parameters)
