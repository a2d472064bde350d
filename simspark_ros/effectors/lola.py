"""Commands of a robot's driver as LoLA names them: joints, lights and sonars; see `simspark_ros.robots.lola`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simspark_ros.robots.lola import COUPLED, DEVICES, JOINTS, initial
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


class DeviceCommand(NamedTuple):
    """Values for some places of a device; other places keep their values. Made by `checked`."""

    device: str
    places: tuple[int, ...]
    values: tuple[float, ...]


def checked(device: str, values: Sequence[float], places: Sequence[int] | None = None) -> DeviceCommand:
    """A command with one value for each place; None = all places of the device.

    Raises:
        CommandRejectedError: unknown device, wrong number of values, a place that does not exist, or a number that is
            not finite.
    """
    size = DEVICES.get(device)
    if size is None:
        raise CommandRejectedError(f"unknown device; use one of: {', '.join(DEVICES)}")
    places = range(size) if places is None else places
    if len(values) != len(places):
        raise CommandRejectedError(f"{device}: {len(values)} values for {len(places)} places")
    for place in places:
        if not 0 <= place < size:
            raise CommandRejectedError(f"{device}: unknown place {place}; places are 0 to {size - 1}")
    for place, value in zip(places, values, strict=True):
        if not math.isfinite(value):
            raise CommandRejectedError(f"{device}: value {place} is {value}; send finite numbers")
    return DeviceCommand(device, tuple(places), tuple(map(float, values)))


def drive_device(world: World, robot: Robot, command: DeviceCommand) -> None:
    """Carry out a command. The ideal servo follows positions, within the joints' limits.

    Joints that the robot does not have, lights and sonars only keep their commanded values.
    """
    device, places, values = command
    kept = list(robot.devices.get(device) or initial(device))
    for place, value in zip(places, values, strict=True):
        kept[place] = value
    robot.devices[device] = tuple(kept)
    if device in ("Position", "Stiffness"):
        _drive_joints(world, robot, command)


def _drive_joints(world: World, robot: Robot, command: DeviceCommand) -> None:
    model_joints = {joint.name: number for number, joint in enumerate(robot.description.model.joints)}
    joints, values = [], []
    for place, value in zip(command.places, command.values, strict=True):
        name = JOINTS[place]
        for moved in (name, COUPLED.get(name, "")):
            if moved in model_joints:
                joints.append(model_joints[moved])
                values.append(value)
    state, motors = world.engine.state, world.motors
    index = np.array(joints, np.int64) + state.joint_offset[state.row(robot.handle)]
    if command.device == "Position":
        motors.set_positions(index, np.array(values), state)
    else:
        motors.set_stiffness(index, np.array(values))
