"""Tries a robot on an engine: adds it, drives every joint both ways, senses, removes it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.worlds.robot import Robot

SPEED = 1.0
"""rad/s or m/s that joints are driven with, slowly enough for heavy limbs."""


@dataclass(frozen=True)
class Driven:
    """How far joints went, rad or m, by name; and the number of sensed values that were not finite."""

    moved: dict[str, float]
    bad_values: int


def drive_all(simulation: Simulation, description: RobotDescription, cycles: int = 25) -> Driven:
    """Add a robot to a simulation, drive its joints for that many cycles each way, and remove it."""
    limits = LimitSettings(world_links=5000, world_joints=2000, world_colliding=3000)
    robot = spawn(simulation.world, description, limits)
    simulation.run_cycle()
    joints = len(description.model.joints)
    track = [_positions(simulation, robot, joints)]
    bad = 0
    for direction in (SPEED, -SPEED):
        for _ in range(cycles):
            # Not by the hinge effector: as on the reference it lets go of joints that are at a stop.
            start, world = _start(simulation, robot), simulation.world
            world.motors.set_velocities(
                np.arange(start, start + joints), np.full(joints, direction), world.engine.state
            )
            simulation.run_cycle()
            track.append(_positions(simulation, robot, joints))
            percepts = simulation.percepts
            assert percepts is not None
            bad += int(np.count_nonzero(np.isnan(percepts.values)))
    simulation.world.remove_robot(robot)
    simulation.run_cycle()
    reach = np.ptp(np.array(track), axis=0)
    names = [joint.name for joint in description.model.joints]
    return Driven(dict(zip(names, map(float, reach), strict=True)), bad)


def _start(simulation: Simulation, robot: Robot) -> int:
    """Index of the robot's first joint."""
    state = simulation.world.engine.state
    return int(state.joint_offset[state.handles.index(robot.handle)])


def _positions(simulation: Simulation, robot: Robot, joints: int) -> NDArray[np.float64]:
    start = _start(simulation, robot)
    return simulation.world.engine.state.joint_position[start : start + joints].copy()
