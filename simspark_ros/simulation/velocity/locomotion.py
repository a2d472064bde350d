"""The control node that moves robots by velocity commands (`World.velocity_commands`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Layout, Notice, Percepts, Slot
from simspark_ros.motion.adapted import Walker, classic_joints
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.simulation.loop import ControlNode, Simulation, Work
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP, DriveTypes, kind_of_drive, make_drive
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

KIND = "walk"
"""The effector of robots that walk."""

HOLD = 0.5
"""Time for which a robot that has stopped is still held, s."""

_AT_REST: Triple = (0.0, 0.0, 9.81)


@dataclass
class _Moving:
    """A robot that is being moved.

    Attributes:
        own: its joints among the joints of the world.
        joints: (K,) the joints that its walker moves, among the joints of the world.
        speeds: (K,) speeds of its joints, rad/s, in answer to the percepts of the cycle before; None before the first.
        stood: time for which it has stood without a command, s.
        drive: kind of the drive; empty = the robot walks.
        failed: whether the drive has failed; the robot stands.
    """

    robot: Robot
    walker: Walker | Drive
    own: slice = field(default_factory=lambda: slice(0))
    joints: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    speeds: Array | None = None
    stood: float = 0.0
    drive: str = ""
    failed: bool = False


class Locomotion(ControlNode):
    """Moves arms and legs, or wheels, of robots from their first velocity command until they stand again without one.

    `drives` has all drives; one that fails does not move its robot until the game begins again.

    The speeds are set at the end of a cycle, so that all other commands of the next cycle win over them. They answer
    the percepts of the cycle before: the gait expects the delay of classic agents.
    """

    def __init__(self, drives: DriveTypes) -> None:
        self._drives = drives
        self._moving: dict[int, _Moving] = {}
        self._layout: Layout | None = None
        self._slots: dict[tuple[int, str], Slot] = {}

    def drive_of(self, robot: Robot, cycle: float) -> Drive | None:
        """A new drive like the robot's, for cycles of that length, s; None if the robot has none."""
        return make_drive(self._drives, robot.description, cycle)

    def work(self, simulation: Simulation) -> tuple[Work, Work]:
        """Commands, and robots that have not come to rest."""
        return simulation.world.velocity_commands, self._moving

    def end_cycle(self, simulation: Simulation) -> None:
        """Set the speeds computed in the last cycle, and compute the next ones."""
        world, percepts = simulation.world, simulation.percepts
        assert percepts is not None
        self._update_robots(world, simulation.scheduler.settings.velocity_timeout)
        self._look_up(percepts.layout, world)
        self._command(world)
        for moving in list(self._moving.values()):
            if moving.failed:
                continue
            try:
                self._move(world, percepts, moving)
            # Any code may run there.
            except Exception as error:
                if not moving.drive:
                    raise
                self._stop(simulation, moving, error)

    def reset(self) -> None:
        """Robots stand at home."""
        self._moving.clear()

    def _update_robots(self, world: World, timeout: float) -> None:
        """Drop commands older than the timeout (0 s = none), and robots that are gone or have an agent."""
        for handle, command in list(world.velocity_commands.items()):
            command.age += world.elapsed
            robot = world.robots[handle]
            if robot.client or 0.0 < timeout < command.age:
                del world.velocity_commands[handle]
            elif self._moving.get(handle) is None or self._moving[handle].robot is not robot:
                cycle = world.engine.cycle_time
                mover = self.drive_of(robot, cycle) or Walker(robot.description, cycle)
                self._moving[handle] = _Moving(robot, mover, drive=kind_of_drive(self._drives, robot.description))
        for handle, moving in list(self._moving.items()):
            if moving.robot.client or world.robots.get(handle) is not moving.robot:
                del self._moving[handle]

    def _look_up(self, layout: Layout, world: World) -> None:
        state, is_new = world.engine.state, layout is not self._layout
        for handle, moving in self._moving.items():
            if is_new or not len(moving.joints):
                moving.own = state.joints_of(state.row(handle))
                moving.joints = moving.walker.joints + moving.own.start
        if is_new:
            self._layout = layout
            pairs = [((robot.handle, slot.kind), slot) for robot in layout.robots for slot in robot.slots]
            # The first one of its kind.
            self._slots = dict(reversed(pairs))

    def _command(self, world: World) -> None:
        """Drive the joints of all robots at the speeds of the last cycle: by motors, or torques of a controller."""
        state = world.engine.state
        joints: list[IntArray] = []
        speeds: list[Array] = []
        for moving in self._moving.values():
            if moving.speeds is None or moving.failed:
                continue
            pid = moving.walker.pid if isinstance(moving.walker, WheelDrive) else None
            if pid is not None:
                torques = pid.update(moving.speeds, state.joint_velocity[moving.joints])
                world.motors.set_efforts(moving.joints, torques, state)
            else:
                joints.append(moving.joints)
                speeds.append(moving.speeds)
        if joints:
            world.motors.set_velocities(np.concatenate(joints), np.concatenate(speeds), state)

    def _move(self, world: World, percepts: Percepts, moving: _Moving) -> None:
        handle, walker, state = moving.robot.handle, moving.walker, world.engine.state
        command = world.velocity_commands.get(handle)
        moving.stood = moving.stood + world.elapsed if command is None and walker.is_standing else 0.0
        if moving.stood > HOLD:
            world.motors.set_velocities(moving.joints, np.zeros(len(moving.joints)), state)
            del self._moving[handle]
            return
        given = walker.update(
            percepts.time,
            state.joint_position[moving.own],
            self._read(percepts, handle, "gyroscope", (0.0, 0.0, 0.0)),
            self._read(percepts, handle, "accelerometer", _AT_REST),
            Walk(command.forward, command.left, command.turn) if command else None,
        )
        speeds = np.asarray(given, float)
        # Motors take NaN for full speed backwards; the product is NaN if one of them is.
        if moving.drive and (speeds.shape != walker.joints.shape or math.isnan(speeds.dot(speeds))):
            raise ValueError(f"update returns {given}; it must return the speeds of {len(walker.joints)} joints")
        moving.speeds = speeds

    def _stop(self, simulation: Simulation, moving: _Moving, error: Exception) -> None:
        """Stop a robot whose drive fails."""
        text = DRIVE_GROUP.fails(moving.drive, error, f"robot '{moving.robot.name}' stands still")
        simulation.notice(Notice("", text))
        moving.failed = True
        simulation.world.motors.stop(moving.robot.handle)

    def _read(self, percepts: Percepts, handle: int, kind: str, default: Triple) -> Triple:
        slot = self._slots.get((handle, kind))
        if slot is None:
            return default
        x, y, z = percepts.values[slot.start : slot.start + 3].tolist()
        return x, y, z


def check_locomotion(drives: DriveTypes, description: RobotDescription, cycle: float) -> None:
    """Raise ConfigurationError for a robot with an effector of this node, but without the body for it."""
    make_drive(drives, description, cycle)
    if description.has_effector(KIND):
        try:
            classic_joints(description)
        except RobotError as error:
            raise ConfigurationError(str(error)) from None
