"""Effector of motors that get their gains along with each command, for all robots at once (rcssservermj)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.base import effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

MAX_GAIN = 1e5
"""Greatest gain, N m/rad or N m s/rad; stronger springs make light links fly."""

_MOST = np.array([1e4, 1e4, MAX_GAIN, MAX_GAIN, 1e6])
_LEAST = np.array([-1e4, -1e4, 0.0, 0.0, -1e6])
"""Bounds of commands, far beyond every robot. Their sum is at most 2e9 N m: above 1e10 MuJoCo lets go of all motors."""


def command_motors(world: World, handles: IntArray, joints: IntArray, commands: Array) -> int:
    """Command motors; a command persists until the next one.

    Args:
        world: the world of the robots.
        handles: (K,) handles of robots; robots that are gone are ignored.
        joints: (K,) index of the joint in its robot's model; the last entry for a joint wins.
        commands: (K, 5) position, velocity, their gains and effort, see `ServoControl`; finite. Absurd ones are cut.

    Returns:
        Number of commands for a robot or joint that does not exist.
    """
    named = world.motors.find(handles, joints, world.engine.state)
    commands = commands if named.known is None else commands[named.known]
    world.motors.set_servos(named.index, bounded(commands))
    return named.unknown


def bounded(commands: Array) -> Array:
    """Commands of motors, (K, 5), with absurd ones cut."""
    return np.clip(commands, _LEAST, _MOST)


@dataclass(frozen=True)
class MotorParameters(Checked):
    """Parameters in YAML: gains until the first command, N m/rad and N m s/rad."""

    stiffness: Annotated[float, Range(0.0, MAX_GAIN)] = 0.0
    damping: Annotated[float, Range(0.0, MAX_GAIN)] = 0.0


@effector("motor", for_agents=False)
def motor(
    world: World,
    robot: Robot,
    parameters: MotorParameters,
    name: str,
    position: Degrees,
    velocity: Degrees,
    stiffness: float,
    damping: float,
    effort: float,
) -> None:
    """Make the motor of that name follow a position (rad) and a velocity (rad/s).

    stiffness and damping: gains of both, N m/rad and N m s/rad; effort: torque besides, N m.
    """
    words = {spec.name: spec.joint for spec in robot.description.effectors if spec.kind == "motor"}
    if name not in words:
        raise CommandRejectedError(f"motor: unknown motor '{name[:40]}'; use one of: {', '.join(words)}")
    command = [position, velocity, stiffness, damping, effort]
    if not all(map(math.isfinite, command)):
        raise CommandRejectedError("motor: all numbers must be finite")
    index = [joint.name for joint in robot.description.model.joints].index(words[name])
    command_motors(world, np.array([robot.handle]), np.array([index]), np.array([command]))
