"""Kicks: of the older sphere robots (user manual, "Kick Effector"), and of devices that are charged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Positive, Range
from simspark_ros.effectors.ball.handling import KIND as BALL_HANDLING
from simspark_ros.effectors.ball.handling import HoldingForce, place_and_velocity
from simspark_ros.effectors.base import CommandTopic, effector, on_ground
from simspark_ros.effectors.signature import Degrees, Percent
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class KickParameters(Checked):
    """Parameters in YAML.

    Attributes:
        max_force: force on the ball at full power, N.
        torque_arm: torque on the ball per force along the ground, about the horizontal axis across the kick: it
            makes the ball spin forward, m. 0.4 radii give it the spin of a rolling ball.
        duration: duration of force and torque, s.
        margin: largest distance between robot and ball, surface to surface, m.
        max_angle_deg: largest angle above the ground, degrees; the smallest is 0.
        horizontal_noise_deg: standard deviation of the direction, degrees.
        vertical_noise_deg: standard deviations of the angle, at both ends of its range and in its middle, degrees.
        power_noise: standard deviation of the power, as a fraction of the largest one.
    """

    max_force: Annotated[float, Range(0.0, 1e6, above=True)]
    torque_arm: Annotated[float, Range(0.0, 100.0)] = 0.0
    duration: Annotated[float, Range(0.0, 100.0, above=True)] = 0.1
    margin: Annotated[float, Range(0.0, 1000.0)] = 0.04
    max_angle_deg: Annotated[float, Range(0.01, 360.0)] = 50.0
    horizontal_noise_deg: Annotated[float, Range(0.0, 360.0)] = 0.02
    vertical_noise_deg: Annotated[tuple[float, float], Range(0.0, 360.0)] = (0.9, 4.5)
    power_noise: Annotated[float, Range(0.0, 100.0)] = 0.004

    def vertical_deviation(self, angle: float) -> float:
        """Standard deviation (rad) of a vertical angle (rad): linear from both ends to the middle."""
        end, middle = self.vertical_noise_deg
        half = math.radians(self.max_angle_deg) / 2
        return math.radians(middle + (end - middle) * abs(angle - half) / half)


@dataclass
class KickForce:
    """A force and a torque (N, N m, world frame) on the ball for the remaining time (s); a `Push`."""

    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    remaining: float

    def apply(self, world: World, seconds: float) -> bool:
        """Push and spin the ball, a homogeneous sphere."""
        share = min(seconds, self.remaining)
        self.remaining -= share
        ball, state = world.scene.ball, world.engine.state
        assert ball is not None
        x, y, z = (state.ball_velocity + np.array(self.force) * (share / ball.mass)).tolist()
        wx, wy, wz = (state.ball_angular_velocity + np.array(self.torque) * (share / ball.inertia)).tolist()
        px, py, pz = state.ball_position.tolist()
        world.engine.place_ball((px, py, pz), (x, y, z), (wx, wy, wz))
        # Rounding may leave a tiny rest.
        return self.remaining > 1e-6 * seconds


@effector("kick", topic=CommandTopic("simspark_ros/msg/Kick"), for_agents=False)
def kick(world: SoccerWorld, robot: SoccerRobot, parameters: KickParameters, angle: Degrees, power: Percent) -> None:
    """Push the ball away from the robot's centre and spin it forward.

    The angle above the ground (rad) is clamped to the kick's range, and the power, a fraction of the largest force, to
    0 to 1. Refused while the robot does not touch the ground, or the ball is too far away.
    """
    world.require_ball("kick")
    if not on_ground(world, robot):
        raise CommandRejectedError("kick: the robot does not touch the ground")
    state = world.engine.state
    offset = state.ball_position - state.position[state.row(robot.handle)]
    # The older robots are spheres that stand on their bottom: their radius is the height at which they stand.
    gap = math.hypot(*offset) - robot.description.spawn_height - world.settings.ball.radius
    if gap > parameters.margin:
        raise CommandRejectedError(
            f"kick: the ball is {gap:.2f} m away, more than the margin of {parameters.margin:g} m"
        )
    direction = math.atan2(offset[1], offset[0])
    angle = min(max(angle, 0.0), math.radians(parameters.max_angle_deg))
    power = min(max(power, 0.0), 1.0)
    horizontal, vertical, strength = world.random.standard_normal(3).tolist()
    direction += math.radians(parameters.horizontal_noise_deg) * horizontal
    angle += parameters.vertical_deviation(angle) * vertical
    force = max(0.0, power + parameters.power_noise * strength) * parameters.max_force
    flat = force * math.cos(angle)
    x, y = flat * math.cos(direction), flat * math.sin(direction)
    # A ball that rolls along (x, y) turns about the axis to its left, (-y, x).
    torque = (-parameters.torque_arm * y, parameters.torque_arm * x, 0.0)
    world.pushes[robot.handle, "kick"] = KickForce((x, y, force * math.sin(angle)), torque, parameters.duration)


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
        raise CommandRejectedError(f"{KIND}: the kicker recharges for {parameters.recharge:g} s after a shot")
    state = world.engine.state
    place, velocity = place_and_velocity(world, robot, parameters.place)
    away = float(np.hypot(*(state.ball_position[:2] - place)))
    if away > parameters.reach:
        raise CommandRejectedError(f"{KIND}: the ball is {away:.2f} m away, more than {parameters.reach:g} m")
    direction, strength = world.random.standard_normal(2).tolist()
    speed = min(math.hypot(forward, up), parameters.max_speed) * max(0.0, 1.0 + parameters.speed_noise * strength)
    # Only the size of `forward` counts: a shot always goes ahead.
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
