"""The last cycle as topics see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from builtin_interfaces.msg import Time

from simspark_ros.exchange import Percepts, Slot
from simspark_ros.perceptors.base import MountKey
from simspark_ros.perceptors.readings import Detections
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.protocol.lola.identity import Identity
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.ros.conversions import BaseMotion, base_motion, set_stamp
from simspark_ros.worlds.world import World


class Cycle:
    """State and percepts of the last cycle, and where each robot stands in their arrays.

    Attributes:
        seed: the simulation's seed, for noise of topics.
        identities: identifications of robots' bodies and heads, by the names of robots that have some.
        stamp: the cycle's time, shared by all messages.
        named_rows: (M,) rows of robots that have a name.
        elapsed: simulated time that passed in the cycle, s.
        resets: number of resets of the world's state so far.
        bindings: number of changes of the set of robots so far.
        odometry: robots' odometry by their entry, and the object that computes it; the topics keep both alive.
        detections: results of the detectors that are due in the cycle.
        world: the simulated world, for data that state and percepts lack; None before the first cycle.
    """

    def __init__(self, seed: int = 1, identities: Mapping[str, Identity] | None = None) -> None:
        self.seed, self.identities = seed, identities or {}
        self.stamp = Time()
        self.state = EngineState()
        self.percepts: Percepts
        self.elapsed, self.resets = 0.0, 0
        self.world: World | None = None
        self.bindings = 0
        self.detections: Mapping[MountKey, Detections] = {}
        self.odometry: WeakValueDictionary[Any, Any] = WeakValueDictionary()
        self.named_rows: IntArray = np.zeros(0, np.int64)
        self._offset: Array = np.zeros((0, 3))
        self._turn: Array = np.zeros((0, 3, 3))
        self._rows: dict[int, int] = {}
        self._slots: dict[tuple[int, str, str], tuple[Slot, int]] = {}
        self._motion: BaseMotion | None = None
        self._quaternions: Array | None = None

    def bind(self, world: World, percepts: Percepts) -> None:
        """Follow a change of the set of robots, or of their sensors."""
        self.bindings += 1
        self.world = world
        robots = list(world.robots.values())
        frames = [base_frame(robot.description.model)[1] for robot in robots]
        self._offset = np.array([frame.position for frame in frames]).reshape(-1, 3)
        self._turn = np.array([frame.rotation for frame in frames]).reshape(-1, 3, 3)
        self.named_rows = np.array([row for row, robot in enumerate(robots) if robot.name], np.int64)
        self.state = world.engine.state
        layouts = percepts.layout.robots
        self._rows = {robot.handle: row for row, robot in enumerate(layouts)}
        slots = [(robot.handle, slot) for robot in layouts for slot in robot.slots]
        self._slots = {(handle, s.kind, s.name): (s, flag) for flag, (handle, s) in enumerate(slots)}

    def update(self, world: World, percepts: Percepts, detections: Mapping[MountKey, Detections]) -> None:
        """Take a new cycle."""
        self.detections = detections
        self.world, self.state, self.percepts, self.elapsed = world, world.engine.state, percepts, world.elapsed
        self.resets = world.resets
        self._motion = self._quaternions = None
        set_stamp(self.stamp, percepts.time)

    def row(self, handle: int) -> int:
        """Index of a robot in the arrays of robots."""
        return self._rows[handle]

    def joints(self, handle: int) -> slice:
        """Place of a robot's joints in the flat arrays of joints."""
        return self.state.joints_of(self._rows[handle])

    def slot(self, handle: int, kind: str, name: str) -> tuple[Slot, int]:
        """A perceptor's place in `Percepts.values`, and its index in `Percepts.present`."""
        return self._slots[handle, kind, name]

    def values(self, handle: int, kind: str, name: str) -> slice:
        """Place of a perceptor's readings in `Percepts.values`."""
        slot, _ = self._slots[handle, kind, name]
        return slice(slot.start, slot.start + len(slot.columns))

    @property
    def motion(self) -> BaseMotion:
        """Base frames of all robots, computed when the first topic asks."""
        if self._motion is None:
            self._motion = base_motion(self.state, self._offset, self._turn)
        return self._motion

    @property
    def link_quaternions(self) -> Array:
        """Orientation (N, 4) of all base links; x, y, z, w."""
        if self._quaternions is None:
            self._quaternions = quaternions_from_rotations(self.state.rotation)
        return self._quaternions
