"""Equal robots in one world, far apart, as arrays: one row for each robot, in the engine's own numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simspark_learning.opponents import LEARNERS, Opponent, Opponents, forget_commands
from simspark_learning.senses import Senses
from simspark_ros.arena import Arena
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.kernels.base_motion import read_bases
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.types.parameters import name_and_type
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import VelocityCommand, World


class RobotBatch:
    """N robots of one kind, each at a place of its own; positions are relative to that place.

    Args:
        robot: name of the catalogue, or the path of a YAML file; `/N` after it for its type N.
        count: number of robots, N.
        spacing: distance of two places, m.
        sensors: kinds of sensors that the robots keep; sensing takes time.
        opponents: players against the robots; then the robots are a team themselves, so that they are seen.
        settings: settings of the `Arena`.

    Raises:
        ConfigurationError: the robot lacks one of these sensors, or an opponent cannot be made.

    Attributes:
        arena: the world.
        places: (N, 2) places of the robots in the world, m.
        senses: readings of the robots' sensors.
        opponents: the opponents in the world, perhaps none.
    """

    def __init__(
        self,
        robot: str,
        count: int,
        spacing: float,
        sensors: Collection[str] = (),
        opponents: Sequence[Opponent] = (),
        **settings: Any,
    ) -> None:
        self.description = with_sensors(robot, sensors)
        lacking = set(sensors).difference(one.kind for one in self.description.perceptors)
        if lacking:
            there = f"{self.description.file}: there is no sensor of kind '{min(lacking)}', which the task needs"
            raise ConfigurationError(f"{there}; add it to the robot's file (more_perceptors)")
        columns = math.ceil(math.sqrt(count))
        self.places: Array = spacing * np.array([divmod(number, columns) for number in range(count)], float)
        self.arena = Arena(**settings)
        try:
            for number, (x, y) in enumerate(self.places.tolist()):
                team = LEARNERS if opponents else ""
                self.arena.add(self.description, name=f"robot_{number}", position=(x, y), team=team)
            self.opponents = Opponents(self.arena, opponents, robot)
        except BaseException:
            self.arena.close()
            raise
        self.joints = tuple(joint.name for joint in self.description.model.joints)
        self.senses = Senses(self.arena, [f"robot_{number}" for number in range(count)])
        self._world: World = self.arena.world
        self._revision = -1
        self._flat_of: dict[bytes, IntArray] = {}
        self._robots: list[Robot]
        self._rows: IntArray
        self._own_joints: IntArray

    @property
    def count(self) -> int:
        """N."""
        return len(self.places)

    @property
    def motion(self) -> Array:
        """(N, 18) position, rotation, linear and angular velocity, one after the other; see the properties of each."""
        state = self._state
        motion = np.empty((len(self.places), 18))
        read_bases(
            self._rows,
            self.places,
            state.position,
            state.rotation,
            state.linear_velocity,
            state.angular_velocity,
            motion,
        )
        return motion

    @property
    def position(self) -> Array:
        """(N, 3) centres of mass of the base links, from each robot's place, m."""
        return self.motion[:, :3]

    @property
    def rotation(self) -> Array:
        """(N, 3, 3) base link to world."""
        return self._state.rotation[self._rows]

    @property
    def linear_velocity(self) -> Array:
        """(N, 3) velocities in the axes of the base links, m/s."""
        return self.motion[:, 12:15]

    @property
    def angular_velocity(self) -> Array:
        """(N, 3) velocities in the axes of the base links, rad/s."""
        return self.motion[:, 15:]

    @property
    def joint_position(self) -> Array:
        """(N, J) rad or m."""
        return self._state.joint_position[self._own_joints]

    @property
    def joint_velocity(self) -> Array:
        """(N, J) rad/s or m/s."""
        return self._state.joint_velocity[self._own_joints]

    def positions_of(self, joints: IntArray) -> Array:
        """(N, K) positions of joints, (K,) indices in the model, rad or m."""
        state = self._state
        return state.joint_position.take(self._flat(joints))

    def velocities_of(self, joints: IntArray) -> Array:
        """(N, K) velocities of joints, (K,) indices in the model, rad/s or m/s."""
        state = self._state
        return state.joint_velocity.take(self._flat(joints))

    @property
    def joint_limits(self) -> tuple[Array, Array]:
        """Lowest and highest positions of the joints, (J,) each."""
        state, own = self._state, self._own_joints[0]
        return state.joint_lower[own], state.joint_upper[own]

    def reset(self, seed: int) -> None:
        """Make the world anew, with all robots at their places."""
        self.arena.reset(seed)

    def step(self, cycles: int) -> None:
        """Let time pass."""
        self.arena.step(cycles)

    def command_positions(self, joints: IntArray, positions: Array) -> None:
        """Have joints, (K,) indices in the model, go to positions (N, K), rad or m."""
        state = self._state
        self._world.motors.set_positions(self._flat(joints).ravel(), positions.ravel(), state)

    def command_velocity(self, number: int, forward: float, left: float, turn: float) -> None:
        """Have a robot drive or walk, m/s and rad/s, until the next command or the timeout."""
        handle = self._robot(number).handle
        self._world.velocity_commands[handle] = VelocityCommand(forward, left, turn)

    def put(self, number: int, position: Array, rpy: Array, joints: Array) -> None:
        """Put a robot somewhere at rest; earlier commands are forgotten.

        Args:
            number: number of the robot.
            position: (3,) centre of mass of the base link, from the robot's place, m.
            rpy: (3,) its roll, pitch and yaw, rad.
            joints: (J,) positions, rad or m, which its motors hold.
        """
        world, robot = self.arena.world, self._robot(number)
        forget_commands(world, robot.handle)
        world.engine.set_joint_positions(robot.handle, joints)
        x, y = self.places[number]
        roll, pitch, yaw = rpy.tolist()
        turn = quaternion_from_rotation(rotation_from_rpy((roll, pitch, yaw)))
        world.engine.place_robot(robot.handle, (x + position[0], y + position[1], float(position[2])), turn)
        world.motors.set_positions(self._own_joints[number], joints, self._state)
        self.senses.forget(number)

    def push(self, number: int, velocity: Array) -> None:
        """Change a robot's velocity at once, by (3,), world frame, m/s."""
        handle, state, row = self._robot(number).handle, self._state, self._rows[number]
        vx, vy, vz = (state.linear_velocity[row] + velocity).tolist()
        wx, wy, wz = state.angular_velocity[row].tolist()
        self.arena.world.engine.set_velocity(handle, (vx, vy, vz), (wx, wy, wz))

    def close(self) -> None:
        """Free the engine."""
        self.arena.close()

    @property
    def _state(self) -> EngineState:
        world = self.arena.simulation.world
        if world is not self._world or world.revision != self._revision:
            self._bind(world)
        return world.engine.state

    def _flat(self, joints: IntArray) -> IntArray:
        """(N, K) indices of joints, (K,) indices in the model, among all joints of the world."""
        key = joints.tobytes()
        if key not in self._flat_of:
            self._flat_of[key] = self._own_joints[:, joints]
        return self._flat_of[key]

    def _robot(self, number: int) -> Robot:
        _ = self._state
        return self._robots[number]

    def _bind(self, world: World) -> None:
        """Look the robots up in a world that has changed."""
        self._world, self._revision = world, world.revision
        self._flat_of.clear()
        state = world.engine.state
        self._robots = [self.arena.entity(f"robot_{number}") for number in range(self.count)]
        self._rows = np.array([state.row(robot.handle) for robot in self._robots], np.int64)
        self._own_joints = state.joint_offset[self._rows][:, None] + np.arange(len(self.joints))


def with_sensors(robot: str, sensors: Collection[str]) -> RobotDescription:
    """A robot of the catalogue or of a file, `/N` after it for its type N, with its sensors of some kinds alone."""
    whole = load_robot(*name_and_type(robot))
    return replace(whole, perceptors=tuple(one for one in whole.perceptors if one.kind in sensors))
