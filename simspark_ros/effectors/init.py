"""Init effector: makes a robot a player of a team (user manual, "Init Effector"; protocol reference, section 3)."""

from __future__ import annotations

import math

from simspark_ros.effectors.base import effector
from simspark_ros.soccer.teams import InitRefusedError, Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError


@effector("init", mounted=False, for_agents=False)
def init(world: SoccerWorld, robot: SoccerRobot, team: str, unum: int) -> None:
    """Register the robot as a player and move it to the next start slot of its side.

    A second init with a free number registers the robot again and frees the first number (the reference keeps it
    occupied for ever); a refused one leaves everything as it was. In a continued match the player takes over the robot
    of its number, where it stands.
    """
    if vacant := _vacant(world, robot, team, unum):
        world.take_over(robot, vacant)
        return
    side = join(world, robot, team, unum)
    world.rename(robot, world.free_name(f"{side.value}_{robot.unum}"))


def _vacant(world: SoccerWorld, robot: SoccerRobot, team: str, unum: int) -> SoccerRobot | None:
    """The vacant robot of that team and number (0 = any of the same type), if there is one."""
    mates = [other for other in world.robots.values() if other.is_vacant and other.team == team]
    if unum == 0:
        return next((mate for mate in mates if _same_type(mate, robot)), None)
    vacant = next((mate for mate in mates if mate.unum == unum), None)
    if vacant and not _same_type(vacant, robot):
        was = f"{vacant.description.name} type {vacant.description.variant}"
        raise CommandRejectedError(f"init refused: number {unum} of '{team}' must be {was}; create that robot first")
    return vacant


def _same_type(robot: SoccerRobot, other: SoccerRobot) -> bool:
    mine, its = robot.description, other.description
    return (mine.source, mine.variant) == (its.source, its.variant)


def join(world: SoccerWorld, robot: SoccerRobot, team: str, unum: int) -> Side:
    """Make a robot a player on its team's next start position; number 0 = the lowest free one. Returns the side.

    Raises:
        CommandRejectedError: team or number are refused; nothing was changed.
    """
    try:
        side, unum = world.teams.register(team, unum, robot.description.variant)
    except InitRefusedError as error:
        raise CommandRejectedError(f"init refused: {error}") from None
    if robot.side is not None:
        world.teams.release(robot.side, robot.unum)
    robot.team, robot.side, robot.unum = team, side, unum
    robot.registrations += 1
    placed = world.teams.of(side)
    start = world.settings.start
    # Beside the field numbers have their places.
    slot = unum - 1 if start.faces_field and unum <= world.teams.rules.size else placed.placed
    x, y, z = start.position(slot, side)
    placed.placed += 1
    z = robot.height_at(z)
    yaw = 0.0 if side is Side.LEFT else math.pi
    if start.faces_field:
        yaw = math.copysign(math.pi / 2, -y)
    world.place(robot, x, y, z, yaw)
    robot.home = (x, y, z, yaw)
    world.revision += 1
    return side
