"""Create effector: gives a client its robot (user manual, "Create Effector"), and leave, which takes it away."""

from __future__ import annotations

import math

from simspark_ros.effectors.base import effector
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.soccer.world import CommandRejectedError, World


@effector("create")
def create(world: World, client: str, robot: str, variant: int = 0) -> None:
    """Give a client a robot of the catalogue, at the place where robots appear before their init."""
    try:
        description = load_robot(robot, variant)
    except RobotError as error:
        raise CommandRejectedError(str(error)) from None
    place = world.settings.create
    yaw = math.radians(place.heading_deg)
    world.add_robot(description, place.position, yaw, client=client, clearance=place.clearance)


@effector("leave")
def leave(world: World, client: str) -> None:
    """Remove the robot of a client that is gone, if it has one."""
    robot = world.robot_of(client)
    if robot is not None:
        world.remove_robot(robot)
