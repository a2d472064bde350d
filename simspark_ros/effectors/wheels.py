"""Wheels effector: moves a robot on driven wheels at a velocity."""

from __future__ import annotations

from simspark_ros.effectors.base import effector
from simspark_ros.effectors.walk import TWIST, command_velocity
from simspark_ros.motion.wheels.wheel_parameters import WheelParameters
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


@effector("wheels", topic=TWIST, for_agents=False)
def wheels(world: World, robot: Robot, parameters: WheelParameters, forward: float, left: float, turn: float) -> None:
    """Move at a velocity, m/s and rad/s, cut to the robot's limits, until the next command or the timeout.

    Refused for the robot of an agent.
    """
    command_velocity("wheels", world, robot, forward, left, turn)
