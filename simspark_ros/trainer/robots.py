"""Commands for one robot: of trainers (protocol reference, section 6, "Trainer commands"), and of people by hand.

A robot is named by side (`left`, `right`, or empty for robots without a team) and uniform number, by hand by its
handle. SI units, world frame.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.configuration.errors import shown
from simspark_ros.effectors.ball.press import press
from simspark_ros.physics.engine import Limits
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.soccer.referee.places import beside_field, cleared_spot
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.trainer.base import Trainer, trainer_command
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot

BATTERY = (0.0, 100.0)
"""Range of the charge, percent."""

TEMPERATURE = (-273.15, 1000.0)
"""Range of the temperature, degrees Celsius."""


@trainer_command
def agent_position(trainer: Trainer, side: str, unum: int, x: float, y: float, z: float) -> None:
    """Move the robot's torso (m, world frame), at rest, orientation and joints kept.

    It goes as near to that place as the clearance to other robots allows.
    """
    trainer.world.move(player(trainer.world, "agent_position", side, unum), x, y, z)


@trainer_command
def agent_move(trainer: Trainer, side: str, unum: int, x: float, y: float, z: float, heading: float) -> None:
    """Place the robot upright, at rest, joints kept: m and rad, world frame, heading 0 = +x."""
    trainer.world.place(player(trainer.world, "agent_move", side, unum), x, y, z, heading)


@trainer_command
def agent_place(
    trainer: Trainer,
    team: str,
    unum: int,
    x: float,
    y: float,
    z: float,
    quaternion_x: float,
    quaternion_y: float,
    quaternion_z: float,
    quaternion_w: float,
) -> None:
    """Place the robot at rest in its home pose, turned: m, world frame, and a unit quaternion.

    The team is a side or a team's name. It goes as near to that place as the clearance to other robots allows.
    """
    world = trainer.world
    named = next((side.value for side in Side if team and world.teams.of(side).name == team), team)
    robot = player(world, "agent_place", named, unum)
    x, y = world.free_spot(x, y, robot)
    quaternion = (quaternion_x, quaternion_y, quaternion_z, quaternion_w)
    world.engine.set_joint_positions(robot.handle, home_positions(robot.description))
    world.engine.place_robot(robot.handle, (x, y, z), quaternion)


@trainer_command
def agent_battery(trainer: Trainer, side: str, unum: int, charge: float) -> None:
    """Set the charge, percent; realistic motors of an empty battery have no torque."""
    robot = player(trainer.world, "agent_battery", side, unum)
    robot.battery = _within("agent_battery", charge, *BATTERY)


@trainer_command
def agent_temperature(trainer: Trainer, side: str, unum: int, temperature: float) -> None:
    """Set the temperature, degrees Celsius, of all motors if they are realistic."""
    robot = player(trainer.world, "agent_temperature", side, unum)
    robot.temperature = _within("agent_temperature", temperature, *TEMPERATURE)
    trainer.world.power.heat(robot)


@trainer_command
def agent_press(trainer: Trainer, side: str, unum: int, button: str, seconds: float) -> None:
    """Press a button of the robot for a time, see `simspark_ros.effectors.ball.press`."""
    press.act(trainer.world, player(trainer.world, "agent_press", side, unum), (button, seconds))


@trainer_command
def select(trainer: Trainer, side: str, unum: int) -> None:
    """Select that robot and no other."""
    trainer.world.select(player(trainer.world, "select", side, unum))


@trainer_command
def select_next(trainer: Trainer) -> None:
    """Select the robot after the selected one, else the first."""
    world = trainer.world
    robots = list(world.robots.values())
    following = robots.index(world.selected) + 1 if world.selected else 0
    world.select(robots[following % len(robots)] if robots else None)


@trainer_command
def select_none(trainer: Trainer) -> None:
    """Select no robot."""
    trainer.world.select(None)


@trainer_command
def kill(trainer: Trainer, side: str = "", unum: int | None = None) -> None:
    """Remove that robot, or else the selected one; its client stays connected."""
    trainer.world.remove_robot(_chosen(trainer.world, "kill", side, unum))


@trainer_command
def repos(trainer: Trainer, side: str = "", unum: int | None = None) -> None:
    """Move that player, or else the selected one, beside the field, away from the ball; orientation and joints stay."""
    world = trainer.world
    robot = _chosen(world, "repos", side, unum)
    if robot.side is None:
        raise CommandRejectedError("repos: the robot has no team, so it has no place beside the field")
    ball_y = float(world.engine.state.ball_position[1])
    book = world.settings.rules.repositioning
    spot = beside_field(world.settings.field, book, robot.side, robot.unum, ball_y)
    world.move(robot, *spot, book.outside_height)


@trainer_command
def make_room(trainer: Trainer) -> None:
    """Move the selected robot by the distance of free kicks toward its own goal; orientation and joints stay.

    If that leaves the field, the robot moves sideways, toward the middle. A robot without a team goes to the right
    goal, as on rcssserver3d.
    """
    world = trainer.world
    robot = _chosen(world, "make_room", "", None)
    x, y, z = world.engine.state.position[world.engine.state.row(robot.handle)].tolist()
    distance = world.settings.rules.set_plays.free_kick_move_distance
    world.move(robot, *cleared_spot(world.settings.field, robot.side or Side.RIGHT, (x, y), (x, y), distance), z)


def player(world: SoccerWorld, kind: str, side: str, unum: int) -> SoccerRobot:
    """The robot of a side and number; `CommandRejectedError` if there is none, with the kind of the command."""
    team = side_of(kind, side)
    robot = world.player(team, unum)
    if robot is None:
        whose = f"of the {team.value} team" if team else "without a team"
        raise CommandRejectedError(f"{kind}: no robot {whose} has number {unum}")
    return robot


def side_of(kind: str, word: str) -> Side | None:
    """The side that a word names, empty = none; `CommandRejectedError` if there is no such side."""
    try:
        return Side(word) if word else None
    except ValueError:
        raise CommandRejectedError(f"{kind}: {shown(word)} is not a side; use left, right or nothing") from None


def _chosen(world: SoccerWorld, kind: str, side: str, unum: int | None) -> SoccerRobot:
    if unum is not None:
        return player(world, kind, side, unum)
    if world.selected is None:
        raise CommandRejectedError(f"{kind}: no robot is selected; select one, or name it by unum and team")
    return world.selected


def _within(kind: str, value: float, lowest: float, highest: float) -> float:
    if not lowest <= value <= highest:
        raise CommandRejectedError(f"{kind}: must be {lowest:g} to {highest:g}, not {value:g}")
    return value


@trainer_command
def turn_joint(trainer: Trainer, handle: int, joint: str, position: float) -> None:
    """Let a joint go to a position (rad or m), as its motor does, until the robot's own commands say otherwise."""
    world, robot = trainer.world, _robot(trainer, "turn_joint", handle)
    joints = robot.description.model.joints
    index = next((index for index, one in enumerate(joints) if one.name == joint and one.mimic is None), None)
    if index is None:
        raise CommandRejectedError(f"turn_joint: robot {handle} has no joint {shown(joint)} that takes commands")
    state = world.engine.state
    first = state.joints_of(state.row(handle)).start
    world.motors.set_positions(np.array([first + index]), np.array([position]), state)


@trainer_command
def save_world(trainer: Trainer, name: str) -> str:
    """Save the world as it stands under a name, where that is allowed; says in which file."""
    if trainer.worlds is None:
        raise CommandRejectedError("save_world: this server saves no worlds; start it with --saved-worlds DIR")
    return f"the world is saved in {trainer.worlds.save(name)}"


@trainer_command
def push(trainer: Trainer, handle: int, x: float, y: float, z: float) -> None:
    """Give a robot an impulse (N s, world frame) on all its links alike: its velocity changes by impulse / mass."""
    world, robot = trainer.world, _robot(trainer, "push", handle)
    mass = sum(link.mass for link in robot.description.model.links)
    change = np.array([x, y, z]) / mass
    state = world.engine.state
    row = state.row(handle)
    linear = state.linear_velocity[row] + change
    if np.abs(linear).max() > Limits.speed:
        raise CommandRejectedError(f"push: a robot of {mass:.3g} kg would exceed {Limits.speed:g} m/s; push less")
    fx, fy, fz = linear.tolist()
    ax, ay, az = state.angular_velocity[row].tolist()
    world.engine.set_velocity(handle, (fx, fy, fz), (ax, ay, az))


def _robot(trainer: Trainer, kind: str, handle: int) -> Robot:
    robot = trainer.world.robots.get(handle)
    if robot is None:
        raise CommandRejectedError(f"{kind}: there is no robot {handle}")
    return robot
