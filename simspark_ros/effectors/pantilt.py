"""Pan-tilt effector: turns a robot's view (user manual, "Vision Perceptor"; the manual gives no format)."""

from __future__ import annotations

import math

from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


@effector("pantilt", topic=CommandTopic("simspark_ros/msg/PanTilt"), for_agents=False)
def pantilt(world: World, robot: Robot, pan: Degrees, tilt: Degrees) -> None:
    """Turn the view relative to the body that carries the camera, positive left and up, rad.

    The view turns at once and stays. It pans to any angle; tilt is clamped to 90 degrees up and down.
    """
    robot.pan_tilt = (math.remainder(pan, 2 * math.pi), min(max(tilt, -math.pi / 2), math.pi / 2))
