"""Beam effector: places a player before a kick-off (user manual, "Beam Effector")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld


@dataclass(frozen=True)
class BeamParameters(Checked):
    """Parameters in YAML.

    Attributes:
        origin: the point that comes to the place: the centre of mass of the base link, or the origin of its frame.
        joints: whether joints are kept or brought into the home pose.
        side: whether places are `any`, or on the `own` half whatever the sign of x, with y of the world's frame.
        height: height of the frame's origin, m; 0 = as the world says, or as the robot stands.
    """

    origin: Literal["centre", "frame"] = "centre"
    joints: Literal["kept", "home"] = "kept"
    side: Literal["any", "own"] = "any"
    height: Annotated[float, Range(0.0, 100.0, "m")] = 0.0


@effector("beam", topic=CommandTopic("simspark_ros/msg/Beam", fields={"angle": "theta"}), for_agents=False)
def beam(
    world: SoccerWorld, robot: SoccerRobot, parameters: BeamParameters, x: float, y: float, angle: Degrees
) -> None:
    """Place a robot before a kick-off or after a goal; at other times the command is ignored.

    Limits and uniform noise as measured on the reference (protocol reference, section 5): noise is added first, then
    the position is clamped; joints are kept, velocities become zero.

    The frame is the team's own: x (m) points from the middle of the field toward the opponents' goal, y (m) to the
    left; angle 0 (rad) faces the opponents' goal.
    """
    if not world.game.may_beam or robot.side is None:
        return
    settings, sign = world.settings.beam, robot.side.sign
    noise_x, noise_y, noise_yaw = world.random.uniform(-1.0, 1.0, 3).tolist()
    # Below, the sign turns the place into the world's frame, in which `y` is meant already.
    if parameters.side == "own":
        x, y = -abs(x), sign * y
    x = min(max(x + settings.noise_xy * noise_x, settings.min_x), settings.max_x)
    y = min(max(y + settings.noise_xy * noise_y, -settings.max_y), settings.max_y)
    yaw = math.remainder(angle, 2 * math.pi) + math.radians(settings.noise_deg) * noise_yaw
    x, y, yaw = sign * x, sign * y, yaw if sign > 0 else yaw + math.pi
    description = robot.description
    if parameters.joints == "home":
        world.engine.set_joint_positions(robot.handle, home_positions(description))
    if parameters.origin == "frame":
        # The engine places the centre of mass, which is beside the frame's origin.
        forward, left, _ = description.model.base.centre
        x += math.cos(yaw) * forward - math.sin(yaw) * left
        y += math.sin(yaw) * forward + math.cos(yaw) * left
    height = robot.height_at(settings.height)
    if parameters.height:
        height = parameters.height + description.model.base.centre[2]
    world.place(robot, x, y, height, yaw)
