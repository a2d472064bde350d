"""Inputs of a simulation from outside, as names with JSON arguments: repeating an input has the same effect.

Servers, topics and services carry out their inputs themselves and note them with `Simulation.note`; the function of the
noted name in this module repeats the input from the noted arguments.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.effectors.init import join as join_team
from simspark_ros.effectors.lola import checked, drive_device
from simspark_ros.exchange import Action, Argument, Commands
from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.model import Vector
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.robots.motors.commands import MotorMode
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.entities.entity import Velocity, entity_named, move_entity
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.referee import Referee, trainer_of
from simspark_ros.soccer.settings import WorldText
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.errors import CommandRejectedError

Joints = Sequence[int]
Targets = Sequence[tuple[int, list[int], list[Any]]]
"""Mode, joint indices in the robot's model, and values of each command."""

Pose = tuple[tuple[float, float, float], tuple[float, float, float, float]]
"""Position and quaternion, see `SpawnPose`."""


def packed(commands: Commands) -> tuple[Any, ...]:
    """The arguments of `agents` for the commands that a link has taken; velocities bit by bit."""
    joints = np.stack([commands.handles, commands.joints]).tolist()
    velocities = b64encode(commands.velocities.astype("<f8").tobytes()).decode()
    return joints, velocities, [[action.client, action.kind, list(action.arguments)] for action in commands.actions]


def agents(
    simulation: Simulation,
    joints: tuple[Joints, Joints],
    velocities: str,
    actions: list[tuple[str, str, list[Argument]]],
) -> None:
    """Commands of classic agents, and of trainers on the monitor port."""
    control = simulation.required(AgentControl)
    handles, indices = np.array(joints, np.int64)
    control.carry_out(
        Commands(
            handles=handles,
            joints=indices,
            velocities=np.frombuffer(b64decode(velocities), "<f8"),
            actions=tuple(Action(client, kind, tuple(arguments)) for client, kind, arguments in actions),
        ),
        simulation,
    )


def motors(simulation: Simulation, handle: int, targets: Targets) -> None:
    """Commands of a robot's joints."""
    state, drives = simulation.world.engine.state, simulation.world.motors
    first = int(state.joint_offset[state.row(handle)])
    command: dict[MotorMode, Callable[[NDArray[np.int64], Array, EngineState], None]] = {
        MotorMode.POSITION: drives.set_positions,
        MotorMode.VELOCITY: drives.set_velocities,
        MotorMode.EFFORT: drives.set_efforts,
        MotorMode.SERVO: lambda joints, commands, _: drives.set_servos(joints, commands),
    }
    for mode, joints, values in targets:
        command[MotorMode(mode)](np.array(joints, np.int64) + first, np.array(values, float), state)


def device(simulation: Simulation, handle: int, name: str, places: Sequence[int], values: Sequence[float]) -> None:
    """A command of a robot's driver."""
    drive_device(simulation.world, simulation.world.robots[handle], checked(name, values, places))


def effector(simulation: Simulation, handle: int, kind: str, arguments: list[Argument]) -> None:
    """A command of a robot's effector."""
    control = simulation.required(AgentControl)
    robot = simulation.world.robots[handle]
    with suppress(CommandRejectedError):
        control.effectors[kind].act(simulation.world, robot, arguments)


def sensor(simulation: Simulation, handle: int, kind: str, name: str, link: str, parameters: dict[str, Any]) -> None:
    """Other parameters of a robot's perceptor."""
    spec = PerceptorSpec(kind, name, link, parameters)
    simulation.sensing.adjust(simulation.world, simulation.world.robots[handle], spec)


def trainer(simulation: Simulation, kind: str, arguments: list[Argument]) -> None:
    """A trainer's command by a service."""
    with suppress(CommandRejectedError):
        TRAINER_COMMANDS[kind].command(trainer_of(simulation), arguments)


def rule(simulation: Simulation, section: str, name: str, value: Argument) -> None:
    """A number of the rule book that a parameter has changed."""
    simulation.required(Referee).change(section, name, value)


def spawned(simulation: Simulation, uri: str, name: str, pose: Pose | None, text: str = "") -> None:
    """A robot that a service has added from a URI or a text, by the name that it got."""
    limits = simulation.scheduler.settings
    description = find_resource(uri, text).load(limits, simulation.world.types)
    robot = spawn(simulation.world, description, limits, name, renaming=False, pose=SpawnPose(*pose) if pose else None)
    robot.is_guest = True


def player(simulation: Simulation, text: str, pose: Pose | None) -> None:
    """A player plug-in that a service has started."""
    robot = simulation.required(PlayerHost).start(text, SpawnPose(*pose) if pose else None)
    robot.is_guest = True


def removed(simulation: Simulation, handle: int) -> None:
    """A robot that a service has removed."""
    simulation.world.remove_robot(simulation.world.robots[handle])


def moved(simulation: Simulation, name: str, pose: Pose | None, velocity: tuple[Vector, Vector] | None) -> None:
    """An entity that a service has put elsewhere, or given a velocity."""
    entity = entity_named(simulation.world, name)
    assert entity is not None
    move_entity(simulation, entity, SpawnPose(*pose) if pose else None, Velocity(*velocity) if velocity else None)


def loaded(simulation: Simulation, path: str, document: dict[str, Any], books: dict[str, Any]) -> None:
    """Another world, by the content of its files."""
    simulation.worlds.prepare(simulation, WorldText(Path(path), document, books))()


def unloaded(simulation: Simulation) -> None:
    """No world."""
    simulation.worlds.unload(simulation)


def join(simulation: Simulation, handle: int, team: str, unum: int) -> None:
    """A robot that a service has made a player."""
    with suppress(CommandRejectedError):
        join_team(simulation.world, simulation.world.robots[handle], team, unum)


def reset_state(simulation: Simulation) -> None:
    """A new game."""
    simulation.reset_state()


def reset_time(simulation: Simulation) -> None:
    """Time from zero."""
    simulation.reset_time()


def set_time(simulation: Simulation, seconds: float) -> None:
    """Another simulated time, s, taken from an external clock."""
    simulation.set_time(seconds)


def vacated(simulation: Simulation) -> None:
    """The clients are gone and their robots stay, because the simulation goes on in another process."""
    simulation.world.vacate()


INPUTS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        *(agents, motors, device, effector, sensor, trainer, rule, spawned, player, removed, moved, loaded, unloaded),
        *(join, reset_state, reset_time, set_time, vacated),
    )
}
"""All inputs, by name."""
