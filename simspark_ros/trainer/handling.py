"""Actions of people by hand, from the viewer, on any robot or object, by its handle. SI units, world frame."""

from __future__ import annotations

import numpy as np

from simspark_ros.configuration.errors import shown
from simspark_ros.physics.engine import Limits
from simspark_ros.trainer.base import Trainer, trainer_command
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot


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
def save_world(trainer: Trainer, name: str) -> None:
    """Save the world as it stands under a name, where that is allowed."""
    if trainer.worlds is None:
        raise CommandRejectedError("save_world: this server saves no worlds; start it with --saved-worlds DIR")
    trainer.worlds.save(name)


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
        raise CommandRejectedError(f"push: a robot of {mass:.3g} kg would be faster than {Limits.speed:g} m/s")
    fx, fy, fz = linear.tolist()
    ax, ay, az = state.angular_velocity[row].tolist()
    world.engine.set_velocity(handle, (fx, fy, fz), (ax, ay, az))


def _robot(trainer: Trainer, kind: str, handle: int) -> Robot:
    robot = trainer.world.robots.get(handle)
    if robot is None:
        raise CommandRejectedError(f"{kind}: there is no robot {handle}")
    return robot
