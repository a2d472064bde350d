"""Drives a robot about by random velocities in a world of its own, and records its way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simspark_learning.models.drive_log import DriveLog
from simspark_ros.configuration.errors import UserError
from simspark_ros.effectors.walk import velocity_kind
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

LONGEST, SHORTEST = 2.0, 0.4
"""Longest and shortest time for which a velocity is commanded, s."""

SETTLE = 0.5
"""Time for the robot to come down to the ground, s."""


def record_drive(
    robot: str,
    engine: str,
    seconds: float,
    speed: float,
    turn: float,
    seed: int,
    progress: Callable[[float], object] = lambda share: None,
) -> DriveLog:
    """Record a robot that is driven by random velocities up to `speed`, m/s, and `turn`, rad/s, each for a while.

    `progress` takes the share that is done, 0 to 1, in each cycle.

    Raises:
        UserError: the robot takes no velocities, or settings are wrong.
    """
    settings = replace(load_simulation_settings(), pacing="fast", engine=engine, world="empty", referee=False)
    simulation, control = build_simulation(replace(settings, velocity_timeout=0.0), [], time.monotonic, time.sleep)
    world, random = simulation.world, np.random.default_rng(seed)
    description = load_robot(robot)
    kind = velocity_kind(description, control.effectors)
    if not kind:
        raise UserError(f"robot '{robot}' takes no velocity commands, so it cannot be driven")
    driven = world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0, name="driven")
    cycle = world.engine.cycle_time
    for _ in range(round(SETTLE / cycle)):
        simulation.run_cycle(1)
    samples: list[list[float]] = []
    command, left = (0.0, 0.0), 0
    steps = round(seconds / cycle)
    for step in range(steps):
        progress(step / steps)
        if left == 0:
            left = round(random.uniform(SHORTEST, LONGEST) / cycle)
            command = (random.uniform(-speed, speed), random.uniform(-turn, turn))
        left -= 1
        control.effectors[kind].act(world, driven, (command[0], 0.0, command[1]))
        samples.append([step * cycle, *_state(world, driven), *command])
        simulation.run_cycle(1)
    world.engine.close()
    table: Array = np.array(samples)
    return DriveLog(table[:, 0], table[:, 1:4], table[:, 4:6], table[:, 6:])


def _state(world: World, robot: Robot) -> list[float]:
    """Place, m, and heading, rad, of the base link's frame, and its velocity forward, m/s, and turn, rad/s."""
    state = world.engine.state
    row = state.row(robot.handle)
    rotation = state.rotation[row]
    arm = -(rotation @ np.array(robot.description.model.base.centre))
    x, y, _ = (state.position[row] + arm).tolist()
    velocity = state.linear_velocity[row] + np.cross(state.angular_velocity[row], arm)
    heading = heading_of(rotation)
    return [x, y, heading, float(velocity @ rotation[:, 0]), float(state.angular_velocity[row, 2])]
