"""One cycle as the feeds of topics see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time

from simspark_ros.exchange import Percepts
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.robots.kinematics import base_frame
from simspark_ros.ros.conversions import BaseMotion, base_motion, set_stamp
from simspark_ros.soccer.world import World


@dataclass(frozen=True)
class RobotPlace:
    """Where one robot is found in the arrays.

    Attributes:
        row: in the arrays of robots.
        joints: in the flat arrays of joints.
        values: (kind, name) of a perceptor -> its readings in `Percepts.values`.
        flags: (kind, name) of a perceptor -> its index in `Percepts.present`.
    """

    row: int
    joints: slice
    values: Mapping[tuple[str, str], slice]
    flags: Mapping[tuple[str, str], int]


class CycleView:
    """State and percepts of the last cycle, with what several feeds need computed once, when the first one asks.

    Attributes:
        stamp: builtin_interfaces/Time of the cycle, shared by all messages.
        state: of the engine.
        percepts: of the cycle.
        named_rows: (M,) rows of robots that have a name.
    """

    def __init__(self) -> None:
        """Without a cycle yet."""
        self.stamp = Time()
        self.state = EngineState()
        self.percepts: Percepts
        self.named_rows: IntArray = np.zeros(0, np.int64)
        self._offset: Array = np.zeros((0, 3))
        self._turn: Array = np.zeros((0, 3, 3))
        self._motion: BaseMotion | None = None
        self._quaternions: Array | None = None

    def bind(self, world: World, percepts: Percepts) -> dict[int, RobotPlace]:
        """Follow a change of the set of robots.

        Returns:
            Place of each robot by handle.
        """
        frames = [base_frame(robot.description.model)[1] for robot in world.robots.values()]
        self._offset = np.array([frame.position for frame in frames]).reshape(-1, 3)
        self._turn = np.array([frame.rotation for frame in frames]).reshape(-1, 3, 3)
        named = [row for row, robot in enumerate(world.robots.values()) if robot.name]
        self.named_rows = np.array(named, np.int64)
        return _places(world.engine.state, percepts)

    def update(self, world: World, percepts: Percepts) -> None:
        """Take a new cycle."""
        self.state, self.percepts = world.engine.state, percepts
        self._motion = self._quaternions = None
        set_stamp(self.stamp, percepts.time)

    @property
    def motion(self) -> BaseMotion:
        """Base frames of all robots."""
        if self._motion is None:
            self._motion = base_motion(self.state, self._offset, self._turn)
        return self._motion

    @property
    def link_quaternions(self) -> Array:
        """Orientation (N, 4) of all base links, which carry the inertial sensors; x, y, z, w."""
        if self._quaternions is None:
            self._quaternions = quaternions_from_rotations(self.state.rotation)
        return self._quaternions


def _places(state: EngineState, percepts: Percepts) -> dict[int, RobotPlace]:
    places: dict[int, RobotPlace] = {}
    flag = 0
    for row, robot in enumerate(percepts.layout.robots):
        values = {(s.kind, s.name): slice(s.start, s.start + len(s.columns)) for s in robot.slots}
        flags = {(s.kind, s.name): flag + i for i, s in enumerate(robot.slots)}
        flag += len(robot.slots)
        places[robot.handle] = RobotPlace(row, state.joints_of(row), values, flags)
    return places
