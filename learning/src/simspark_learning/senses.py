"""Readings of robots' own sensors, as arrays: one row for each robot, with the newest readings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspark_ros.arena import Arena
from simspark_ros.exchange import Layout
from simspark_ros.perceptors.readings import Sight
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.simulation.loop import ControlNode, Simulation

SEEN = 4
"""Numbers that tell of a thing: 1 if the newest look found it, else 0, and where it is, x, y, z."""


class Senses(ControlNode):
    """Readings of N robots of an arena, by name and with equal sensors, since each was put where it is.

    Attributes:
        has_sensed: (N,) whether a cycle has passed since then.
    """

    def __init__(self, arena: Arena, names: Sequence[str]) -> None:
        self.has_sensed: BoolArray = np.zeros(len(names), np.bool_)
        self._arena, self._names = arena, names
        self.reset()
        arena.add_node(self)

    def reset(self) -> None:
        """Begin in a new world."""
        self.has_sensed[:] = False
        self._layout: Layout | None = None

    def forget(self, number: int) -> None:
        """Begin with a robot that is somewhere else now."""
        self.has_sensed[number] = False
        if self._layout is not None:
            self._in_view[self._rows[number]] = False

    def end_cycle(self, simulation: Simulation) -> None:
        """Take new readings."""
        percepts = simulation.percepts
        assert percepts is not None
        if percepts.layout is not self._layout:
            self._bind(percepts.layout)
        self.has_sensed[:] = True
        if percepts.sight is not None:
            self._see(percepts.sight)

    def sensed(self, kind: str, columns: int) -> Array:
        """(N, columns) readings of the first sensor of a kind; zeros where there is no reading yet, or no sensor."""
        if self._layout is None:
            return np.zeros((len(self._names), columns))
        if kind not in self._slots:
            self._slots[kind] = self._places_of(self._layout, kind)
        places = self._slots[kind]
        if not places.size:
            return np.zeros((len(self._names), columns))
        return np.where(self.has_sensed[:, None], self._arena.percepts.values[places], 0.0)

    def seen(self, number: int, things: tuple[str, ...]) -> Array:
        """(K, 4) things as a robot's vision found them at its newest look: `SEEN`, zeros for things not found.

        Places are from the camera in its axes (x forward, y left, z up), m, with the errors of the sensor. Things are
        the ball `B`, marks such as `G1L` and `F2R`, and other robots by their names, whose place is the middle of
        their visible parts.
        """
        found = np.zeros((len(things), SEEN))
        if self._layout is None:
            return found
        if things not in self._targets:
            self._targets[things] = self._targets_of(things)
        row, targets = self._rows[number], self._targets[things]
        in_view = self._in_view[row, targets] & (targets >= 0)
        count = in_view.sum(axis=1)
        found[:, 0] = count > 0
        found[:, 1:] = (self._places[row, targets] * in_view[..., None]).sum(axis=1) / np.maximum(count, 1)[:, None]
        return found

    def _bind(self, layout: Layout) -> None:
        """Look the robots up in a world that has changed; nothing has been seen in it."""
        handles = [robot.handle for robot in layout.robots]
        self._layout = layout
        self._rows = [handles.index(self._arena.entity(name).handle) for name in self._names]
        self._slots: dict[str, IntArray] = {}
        self._targets: dict[tuple[str, ...], IntArray] = {}
        shape = len(handles), len(layout.targets)
        self._in_view: BoolArray = np.zeros(shape, np.bool_)
        self._places: Array = np.zeros((*shape, 3))

    def _see(self, sight: Sight) -> None:
        distance, azimuth, elevation = sight.object_polar.T
        flat = distance * np.cos(elevation)
        places = np.stack((flat * np.cos(azimuth), flat * np.sin(azimuth), distance * np.sin(elevation)), axis=1)
        who = np.repeat(sight.observers, np.diff(sight.object_offset))
        self._in_view[sight.observers] = False
        self._in_view[who, sight.object_target] = True
        self._places[who, sight.object_target] = places

    def _places_of(self, layout: Layout, kind: str) -> IntArray:
        """(N, C) places of a sensor's readings in the value vector; (N, 0) if the robots have none."""
        slots = [next((slot for slot in layout.robots[row].slots if slot.kind == kind), None) for row in self._rows]
        return np.array([range(slot.start, slot.start + len(slot.columns)) if slot else () for slot in slots], np.int64)

    def _targets_of(self, things: tuple[str, ...]) -> IntArray:
        """(K, P) targets that show each thing, P as many as the thing with most parts has; -1 fills the other rows."""
        names = self._arena.target_names
        parts = [[at for at, name in enumerate(names) if name.split("/")[0] == thing] for thing in things]
        longest = max(map(len, parts), default=0)
        return np.array([[*own, *[-1] * (longest - len(own))] for own in parts], np.int64).reshape(len(things), longest)
