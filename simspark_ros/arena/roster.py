"""Members of an arena: all data to put the robots into the world again after a reset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simspark_ros.arena.host import ArenaError
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.effectors.init import join
from simspark_ros.physics.geometry.rotations import upright
from simspark_ros.physics.model import Vector
from simspark_ros.players.answer import Agent
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loading.robot_resources import check_name
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


@dataclass(frozen=True)
class Member:
    """A robot and how it comes into the world.

    Attributes:
        name: name of the robot; empty = the name of its file, or side and number for a player.
        position: place of the point between its feet, world frame, m; None = a free place, or its team's next start
            place.
        heading: heading, 0 = +x, counter-clockwise, rad.
        team: team that it joins, empty = none.
        unum: its number in the team, 0 = any free number.
        make_agent: function that makes the player that moves it; None = the program that holds the arena moves it.
    """

    description: RobotDescription
    name: str = ""
    position: Vector | None = None
    heading: float = 0.0
    team: str = ""
    unum: int = 0
    make_agent: Callable[[], Agent] | None = None

    def enter(self, world: SoccerWorld, limits: LimitSettings) -> SoccerRobot:
        """Put the robot into a world, completely or not at all.

        Raises:
            ArenaError, SpawnError: the name, the place, the team or the number is taken or cannot be used.
        """
        check_name(self.name)
        pose = None if self.position is None else SpawnPose(self.position, upright(self.heading))
        handle = spawn(world, self.description, limits, self.name, renaming=not self.name, pose=pose).handle
        robot = world.robots[handle]
        if self.team:
            try:
                self._join(world, robot)
            except CommandRejectedError as error:
                world.remove_robot(robot)
                raise ArenaError(f"team '{self.team}': {error}") from None
        return robot

    def _join(self, world: SoccerWorld, robot: SoccerRobot) -> None:
        if not world.settings.plays_soccer:
            raise CommandRejectedError("this world has no soccer; choose another world, or leave the team out")
        x, y, z = world.engine.state.position[world.engine.state.row(robot.handle)].tolist()
        side = join(world, robot, self.team, self.unum)
        if not self.name:
            world.rename(robot, world.free_name(f"{side.value}_{robot.unum}"))
        if self.position is not None:
            world.place(robot, x, y, z, self.heading)
            robot.home = (x, y, z, self.heading)
