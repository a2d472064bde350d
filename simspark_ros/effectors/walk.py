"""Robots at a velocity: walk, by the gait of the demonstration team for robots with the Nao's body, and drives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simspark_ros.effectors.base import CommandTopic, Effector, effector
from simspark_ros.robots.description import RobotDescription
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import VelocityCommand, World

TWIST = CommandTopic(
    "geometry_msgs/msg/Twist",
    "cmd_vel",
    {"forward": "linear.x", "left": "linear.y", "turn": "angular.z"},
    stamped=("geometry_msgs/msg/TwistStamped", "twist"),
)


@effector("walk", topic=TWIST, for_agents=False)
def walk(world: World, robot: Robot, forward: float, left: float, turn: float) -> None:
    """Move at a velocity, m/s and rad/s, cut to the robot's limits, until the next command or the timeout.

    Refused for the robot of an agent: commands of agent and gait would fight.
    """
    command_velocity("walk", world, robot, forward, left, turn)


def velocity_effector(kind: str, options: type[Any]) -> Effector[Any]:
    """The effector of a kind of drive, like `walk`; `options` is the dataclass of its parameters in robots' files."""

    def move(world: World, robot: Robot, parameters: Any, forward: float, left: float, turn: float) -> None:
        """Move at a velocity, m/s and rad/s, cut to the robot's limits, until the next command or the timeout.

        Refused for the robot of an agent.
        """
        command_velocity(kind, world, robot, forward, left, turn)

    move.__annotations__["parameters"] = options
    return effector(kind, topic=TWIST, for_agents=False)(move)


def velocity_kind(robot: RobotDescription, effectors: Mapping[str, Effector[Any]]) -> str:
    """Kind of the effector by which a robot takes velocities: walk or a drive; empty if it has none.

    `effectors` has all known effectors, by kind.
    """
    moving = {kind for kind, one in effectors.items() if one.topic is TWIST}
    return next((spec.kind for spec in robot.effectors if spec.kind in moving), "")


def command_velocity(kind: str, world: World, robot: Robot, forward: float, left: float, turn: float) -> None:
    """Set a robot's velocity, m/s and rad/s, by an effector of that kind; refused for the robot of an agent."""
    if robot.client:
        raise CommandRejectedError(
            f"{kind}: robot '{robot.name}' is moved by its agent '{robot.client}'; for cmd_vel spawn a "
            "robot without an agent"
        )
    world.velocity_commands[robot.handle] = VelocityCommand(forward, left, turn)
