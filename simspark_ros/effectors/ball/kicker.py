"""Kicker effector: a robot of the middle-size league shoots the ball that lies at its front."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.effectors.ball.handling import KIND as BALL_HANDLING
from simspark_ros.effectors.ball.handling import HoldingForce, place_and_velocity
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.world import World

KIND = "kicker"

_Deviation = Annotated[float, Range(0.0, 100.0)]


@dataclass(frozen=True)
class KickerParameters(Checked):
    """Parameters in YAML.

    Attributes:
        place: middle of the ball to be kicked, forward and left in the base link's frame, m.
        reach: greatest distance of the ball from there along the ground, m.
        max_speed: largest speed that it gives the ball, m/s.
        max_angle_deg: largest angle of a shot above the ground, degrees.
        direction_noise_deg: standard deviation of the direction along the ground, degrees.
        speed_noise: standard deviation of the speed, as a fraction of it.
        recharge: time until the next shot, s.
    """

    place: Annotated[tuple[float, float], Range(-10.0, 10.0)]
    reach: Annotated[float, Range(0.0, 10.0)]
    max_speed: Positive
    max_angle_deg: Annotated[float, Range(0.0, 90.0)] = 0.0
    direction_noise_deg: _Deviation = 0.0
    speed_noise: _Deviation = 0.0
    recharge: Annotated[float, Range(0.0, 100.0)] = 0.0


@dataclass
class Recharge:
    """The time until a kicker can shoot again, s; a `Push` that pushes nothing."""

    remaining: float

    def apply(self, world: World, seconds: float) -> bool:
        """Let time pass."""
        self.remaining -= seconds
        # Rounding may leave a tiny rest.
        return self.remaining > 1e-6 * seconds


@effector(KIND, topic=CommandTopic("geometry_msgs/msg/Vector3", fields={"forward": "x", "up": "z"}), for_agents=False)
def kicker(world: SoccerWorld, robot: SoccerRobot, parameters: KickerParameters, forward: float, up: float) -> None:
    """Shoot the ball at the robot's front with a velocity relative to the robot, m/s.

    The ball is not held until the kicker is charged again. A velocity that is too fast is scaled down, one that is too
    steep or into the ground is turned. The planar engine leaves out `up`.
    Refused while the ball is elsewhere and while the kicker is charged.
    """
    world.require_ball(KIND)
    if (robot.handle, KIND) in world.pushes:
        raise CommandRejectedError(f"{KIND}: it is charged, which takes {parameters.recharge:g} s after a shot")
    state = world.engine.state
    place, velocity = place_and_velocity(world, robot, parameters.place)
    away = float(np.hypot(*(state.ball_position[:2] - place)))
    if away > parameters.reach:
        raise CommandRejectedError(f"{KIND}: the ball is {away:.2f} m from its place, more than {parameters.reach:g} m")
    direction, strength = world.random.standard_normal(2).tolist()
    speed = min(math.hypot(forward, up), parameters.max_speed) * max(0.0, 1.0 + parameters.speed_noise * strength)
    steepness = min(max(math.atan2(up, abs(forward)), 0.0), math.radians(parameters.max_angle_deg))
    ahead = state.rotation[state.row(robot.handle)][:, 0]
    bearing = math.atan2(ahead[1], ahead[0]) + math.radians(parameters.direction_noise_deg) * direction
    flat = speed * math.cos(steepness)
    vx, vy = (velocity + flat * np.array((math.cos(bearing), math.sin(bearing)))).tolist()
    px, py, pz = state.ball_position.tolist()
    world.engine.place_ball((px, py, pz), (vx, vy, speed * math.sin(steepness)), (0.0, 0.0, 0.0))
    world.ball_handlers.add(robot.handle)
    holding = world.pushes.get((robot.handle, BALL_HANDLING))
    if isinstance(holding, HoldingForce):
        holding.released = parameters.recharge
    world.pushes[robot.handle, KIND] = Recharge(parameters.recharge)
