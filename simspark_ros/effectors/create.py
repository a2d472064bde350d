"""Create effector: gives a client its robot (user manual, "Create Effector"), and leave, which takes it away."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.soccer.world import CommandRejectedError, World


class CreateEffector(Effector):
    """`create`: words (robot name), numbers (variant)."""

    kind: ClassVar[str] = "create"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Add the robot at the place where robots appear before their init."""
        arguments(self.kind, words, "robot")
        try:
            description = load_robot(words[0], int(numbers[0]) if numbers else 0)
        except RobotError as error:
            raise CommandRejectedError(str(error)) from None
        place = world.settings.create
        yaw = math.radians(place.heading_deg)
        world.add_robot(description, place.position, yaw, client=client, clearance=place.clearance)


class LeaveEffector(Effector):
    """`leave`: the client is gone, and with it its robot."""

    kind: ClassVar[str] = "leave"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Remove the client's robot, if it has one."""
        robot = world.robot_of(client)
        if robot is not None:
            world.remove_robot(robot)
