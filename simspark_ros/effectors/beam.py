"""Beam effector: places a player before a kick-off (user manual, "Beam Effector")."""

from __future__ import annotations

import math

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld


@effector("beam", topic=CommandTopic("simspark_ros/msg/Beam", fields={"angle": "theta"}), for_agents=False)
def beam(world: SoccerWorld, robot: SoccerRobot, x: float, y: float, angle: Degrees) -> None:
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
    x = min(max(x + settings.noise_xy * noise_x, settings.min_x), settings.max_x)
    y = min(max(y + settings.noise_xy * noise_y, -settings.max_y), settings.max_y)
    yaw = math.remainder(angle, 2 * math.pi) + math.radians(settings.noise_deg) * noise_yaw
    height = settings.height or robot.description.spawn_height
    world.place(robot, sign * x, sign * y, height, yaw if sign > 0 else yaw + math.pi)
