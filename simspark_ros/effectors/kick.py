"""Kick effector: the kicking device of the older sphere robots (user manual, "Kick Effector")."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simspark_ros.effectors.base import CommandTopic, effector, on_ground
from simspark_ros.soccer.world import CommandRejectedError, Robot, World


@dataclass(frozen=True)
class KickParameters:
    """Parameters in YAML.

    Attributes:
        max_force: on the ball at full power, N.
        duration: of the force, s.
        margin: largest distance between robot and ball, surface to surface, m.
        max_angle_deg: largest angle above the ground, degrees; the smallest is 0.
        horizontal_noise_deg: standard deviation of the direction, degrees.
        vertical_noise_deg: that of the angle, at both ends of its range and in its middle, degrees.
        power_noise: that of the power, as a fraction of the largest one.
    """

    max_force: float
    duration: float = 0.1
    margin: float = 0.04
    max_angle_deg: float = 50.0
    horizontal_noise_deg: float = 0.02
    vertical_noise_deg: tuple[float, float] = (0.9, 4.5)
    power_noise: float = 0.004

    def __post_init__(self) -> None:
        """Refuse what kicks nothing."""
        if self.max_force <= 0 or self.duration <= 0 or self.max_angle_deg <= 0:
            raise ValueError("max_force, duration and max_angle_deg must be above 0")
        if min(self.margin, self.horizontal_noise_deg, *self.vertical_noise_deg, self.power_noise) < 0:
            raise ValueError("margin and noise must not be negative")

    def vertical_deviation(self, angle: float) -> float:
        """Standard deviation of the vertical angle (rad) for an angle (rad), linear from both ends to the middle."""
        end, middle = self.vertical_noise_deg
        half = math.radians(self.max_angle_deg) / 2
        return math.radians(middle + (end - middle) * abs(angle - half) / half)


@dataclass
class KickForce:
    """A force on the ball for some time; a `Push`.

    Attributes:
        force: N, world frame.
        remaining: s.
    """

    force: tuple[float, float, float]
    remaining: float

    def apply(self, world: World, seconds: float) -> bool:
        """Push the ball. It loses its spin: the physics interface cannot turn it, so there is no torque either."""
        share = min(seconds, self.remaining)
        self.remaining -= share
        ball, state = world.settings.ball, world.engine.state
        x, y, z = (state.ball_velocity + np.array(self.force) * (share / ball.mass)).tolist()
        px, py, pz = state.ball_position.tolist()
        world.engine.place_ball((px, py, pz), (x, y, z))
        # What rounding leaves of the last step is no step.
        return self.remaining > 1e-6 * seconds


@effector("kick", topic=CommandTopic("simspark_ros/msg/Kick"))
def kick(world: World, robot: Robot, parameters: KickParameters, angle: float, power: float) -> None:
    """Push the ball away from the robot's centre, horizontally in the direction in which it lies.

    Args:
        world: to act on.
        robot: that kicks; the ball is within its margin and it touches the ground.
        parameters: of its kick.
        angle: above the ground, rad; cut to the range of the kick.
        power: fraction of the largest force, cut to 0 to 1.

    Raises:
        CommandRejectedError: the robot does not touch the ground, or the ball is too far away.
    """
    if not on_ground(world, robot):
        raise CommandRejectedError("kick: the robot does not touch the ground")
    direction = _direction(world, robot, parameters.margin)
    angle = min(max(angle, 0.0), math.radians(parameters.max_angle_deg))
    power = min(max(power, 0.0), 1.0)
    horizontal, vertical, strength = world.random.standard_normal(3).tolist()
    direction += math.radians(parameters.horizontal_noise_deg) * horizontal
    angle += parameters.vertical_deviation(angle) * vertical
    force = max(0.0, power + parameters.power_noise * strength) * parameters.max_force
    flat = force * math.cos(angle)
    vector = (flat * math.cos(direction), flat * math.sin(direction), force * math.sin(angle))
    world.pushes[robot.handle, "kick"] = KickForce(vector, parameters.duration)


def _direction(world: World, robot: Robot, margin: float) -> float:
    """Bearing of the ball from the robot's centre, rad.

    Raises:
        CommandRejectedError: the ball is too far away.
    """
    state = world.engine.state
    offset = state.ball_position - state.position[state.row(robot.handle)]
    gap = float(np.linalg.norm(offset)) - robot.description.spawn_height - world.settings.ball.radius
    if gap > margin:
        raise CommandRejectedError(f"kick: the ball is {gap:.2f} m away, more than the margin of {margin:g} m")
    return math.atan2(offset[1], offset[0])
