"""`seen_objects` and `seen_lines`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspark_ros.exchange import Layout
from simspark_ros.perceptors.readings import Sight
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher, message_type


class _VisionPublisher(TopicPublisher):
    """Base of topics of a robot's sight, sent in the cycles in which it looks."""

    name = ""
    message_name = ""

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        message = message_type(self.message_name)()
        super().__init__(robot.topic(self.name), message, cycle, robot.frame(spec.link))
        self._handle = robot.handle

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic: a robot has one vision perceptor at most."""
        return [cls(robot, cycle, spec) for spec in robot.perceptors("restricted_vision")[:1]]

    def bind(self) -> None:
        self._row = self.cycle.row(self._handle)

    def fill(self) -> bool:
        sight = self.cycle.percepts.sight
        observer = None if sight is None else sight.observer(self._row)
        if sight is None or observer is None:
            return False
        self._write(sight, observer)
        return True

    def _write(self, sight: Sight, observer: int) -> None:
        raise NotImplementedError


class SeenObjectsPublisher(_VisionPublisher):
    """`seen_objects` (simspark_ros/SeenObjects): marks, ball and parts of players in view."""

    name, message_name = "seen_objects", "simspark_ros/msg/SeenObjects"
    _revision = -1

    def _write(self, sight: Sight, observer: int) -> None:
        layout = self.cycle.percepts.layout
        if layout.revision != self._revision:
            self._revision, self._names = layout.revision, target_names(layout)
        seen = sight.objects_of(observer)
        named = [(self._names[target], index) for index, target in enumerate(sight.object_target[seen].tolist())]
        self.message.names = [name for name, _ in named if name]
        _set_polar(self.message, sight.object_polar[seen][[index for name, index in named if name]])


class SeenLinesPublisher(_VisionPublisher):
    """`seen_lines` (simspark_ros/SeenLines): the visible parts of the field's lines, two entries for each."""

    name, message_name = "seen_lines", "simspark_ros/msg/SeenLines"

    def _write(self, sight: Sight, observer: int) -> None:
        seen = sight.lines_of(observer)
        _set_polar(self.message, sight.line_polar[seen].reshape(-1, 3))


def _set_polar(message: Any, polar: Array) -> None:
    message.ranges, message.bearings, message.elevations = (column.tolist() for column in polar.T)


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
