"""What one robot sees, as a message."""

from __future__ import annotations

import numpy as np

from simspark_ros.exchange import Layout
from simspark_ros.msg import SeenObjects
from simspark_ros.ros.cycle_view import CycleView, RobotPlace
from simspark_ros.ros.topics.publishers import Feed

VISION_KINDS = ("restricted_vision", "vision")
"""Kinds of perceptors that see."""


class SeenObjectsFeed(Feed):
    """Marks, ball and parts of players in view, in the cycles in which the robot looks."""

    topic = "seen_objects"

    def __init__(self, view: CycleView, frame: str) -> None:
        """Name the frame."""
        self.message = SeenObjects()
        self.message.header.stamp = view.stamp
        self.message.header.frame_id = frame
        self._revision = -1
        self._names: list[str] = []

    def bind(self, place: RobotPlace) -> None:
        """Remember the row."""
        self._row = place.row

    def has_news(self, view: CycleView) -> bool:
        """Whether the robot has looked in this cycle."""
        sight = view.percepts.sight
        return sight is not None and bool((sight.observers == self._row).any())

    def fill(self, view: CycleView) -> None:
        """Copy what is seen."""
        sight = view.percepts.sight
        assert sight is not None
        layout = view.percepts.layout
        if layout.revision != self._revision:
            self._revision, self._names = layout.revision, target_names(layout)
        observer = int(np.searchsorted(sight.observers, self._row))
        seen = slice(int(sight.object_offset[observer]), int(sight.object_offset[observer + 1]))
        named = [(self._names[target], index) for index, target in enumerate(sight.object_target[seen].tolist())]
        rows = [index for name, index in named if name]
        polar = sight.object_polar[seen][rows]
        self.message.names = [name for name, _ in named if name]
        self.message.ranges, self.message.bearings, self.message.elevations = (column.tolist() for column in polar.T)


def target_names(layout: Layout) -> list[str]:
    """Name of each target of a layout; empty for parts of robots without a team."""
    names = []
    for label, row in layout.targets:
        robot = layout.robots[row] if row >= 0 else None
        if robot is None:
            names.append(label)
        else:
            names.append(f"{robot.team}/{robot.unum}/{label}" if robot.team else "")
    return names
