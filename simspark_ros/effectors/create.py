"""Create effector: adds the robot of a client (user manual, "Create Effector")."""

from __future__ import annotations

import math

from simspark_ros.effectors.base import effector
from simspark_ros.effectors.init import init
from simspark_ros.robots.catalogue import loaded_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.world import World

CREATING, LEAVE = ("create", "join"), "leave"
"""Kinds of actions that add a robot, and kind of the action of a client that goes, which is no effector."""


@effector("create", for_agents=False)
def create(world: World, client: str, robot: str, variant: int = 0) -> None:
    """Add a robot of the catalogue for a client, with a type of this world, at the place of robots before init."""
    try:
        description = loaded_robot(world.types.name(robot, variant), variant)
    except RobotError as error:
        raise CommandRejectedError(str(error)) from None
    place = world.settings.create
    yaw = math.radians(place.heading_deg)
    world.add_robot(description, place.position, yaw, client=client, clearance=place.clearance)


@effector("join", for_agents=False)
def join(world: SoccerWorld, client: str, robot: str, variant: int, team: str, unum: int) -> None:
    """Add a robot for a client and make it a player of a team; if the team refuses it, no robot is added."""
    if world.robot_of(client) is not None:
        raise CommandRejectedError("join: the client already has a robot")
    create(world, client, robot, variant)
    newcomer = world.robot_of(client)
    assert isinstance(newcomer, SoccerRobot)
    try:
        init(world, newcomer, team, unum)
    except CommandRejectedError:
        world.remove_robot(newcomer)
        raise
