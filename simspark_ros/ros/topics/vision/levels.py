"""Detections as vision software reports them: in the picture (2-D), in space (3-D), and on the field (model).

Messages come from soccer_vision_2d_msgs, soccer_vision_3d_msgs and soccer_model_msgs if installed, else from ours with
the same fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3

from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.detection.detecting import DetectionParameters
from simspark_ros.perceptors.detection.detections import camera_frame
from simspark_ros.perceptors.readings import Detected, Detections
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import Array, rotation_from_rpy
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import MAP, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher, below, message_type

_2D, _3D, _MODEL = "soccer_vision_2d_msgs", "soccer_vision_3d_msgs", "soccer_model_msgs"
OWN = {_2D: "Vision2d", _3D: "Vision3d", _MODEL: "Model"}
"""Prefixes of our messages' names, by the package whose fields they have."""


def soccer_type(package: str, name: str) -> type[Any]:
    """The class of a message of one of the packages, or ours where the package is not installed."""
    return message_type(soccer_type_name(package, name))


def soccer_type_name(package: str, name: str) -> str:
    """The full name of the message that `soccer_type` returns."""
    try:
        message_type(f"{package}/msg/{name}")
    except TopicError:
        return f"simspark_ros/msg/{OWN[package]}{name}"
    return f"{package}/msg/{name}"


class LevelPublisher(TopicPublisher):
    """One topic of a detector, sent in the cycles of its pictures.

    Attributes:
        level: the row of `LEVELS`.
        options: the detector's parameters.
    """

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec, level: Level) -> None:
        message = soccer_type(level.package, level.message)()
        super().__init__(robot.topic(below(spec, level.topic)), message, cycle)
        self.level = level
        self.perceptor = self._key = robot.handle, spec.kind, spec.name
        self._parts: dict[str, type[Any]] = {}
        self.adjust(robot)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec, level) for level in LEVELS for spec in robot.perceptors("detections")]

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        self.options = build(DetectionParameters, dict(spec.parameters), spec.name)
        self.message.header.frame_id = _FRAMES[self.level.package](robot, spec)

    def fill(self) -> bool:
        found = self.cycle.detections.get(self._key)
        return found is not None and self.level.write(self, found)

    def new(self, name: str) -> Any:
        """A new part of the message, e.g. a `Ball`."""
        if name not in self._parts:
            self._parts[name] = soccer_type(self.level.package, name)
        return self._parts[name]()


@dataclass(frozen=True)
class Level:
    """A row of the table of detectors' topics.

    Attributes:
        topic: the topic's name; below the name of the detector if the detector has one of its own.
        package: the package of the message.
        message: the message's name.
        write: function that writes detections into the publisher's message; False = there is nothing to send.
        line: a sentence about the topic for the page of the node.
    """

    topic: str
    package: str
    message: str
    write: Callable[[LevelPublisher, Detections], bool]
    line: str

    @property
    def type_name(self) -> str:
        """The full name of the message."""
        return soccer_type_name(self.package, self.message)


_FRAMES: dict[str, Callable[[RobotEntry, PerceptorSpec], str]] = {
    _2D: lambda robot, spec: robot.prefix + camera_frame(spec, robot.description),
    _3D: lambda robot, spec: robot.frame(spec.link),
    _MODEL: lambda robot, spec: MAP,
    "geometry_msgs": lambda robot, spec: MAP,
}
"""Frame ids of headers, by the package of the message."""

_Place = Callable[[Any, Detections, int, DetectionParameters], None]
"""Function that writes the place of a detection, by its index, into an entry of a message."""


def _write_things(
    kind: Detected, entries: str, element: str, place: _Place, publisher: LevelPublisher, found: Detections
) -> bool:
    """Write all detections of a kind into the field `entries`, which has elements of the type `element`."""
    made = []
    for index in np.flatnonzero(found.kind == kind).tolist():
        entry = publisher.new(element)
        place(entry, found, index, publisher.options)
        _set_attributes(entry, found, index)
        made.append(entry)
    setattr(publisher.message, entries, made)
    return True


_balls = partial(_write_things, Detected.BALL, "balls", "Ball")
_goalposts = partial(_write_things, Detected.GOALPOST, "posts", "Goalpost")
_robots = partial(_write_things, Detected.ROBOT, "robots", "Robot")


def _box(entry: Any, found: Detections, index: int, options: DetectionParameters) -> None:
    _set_box(entry.bb, found.box[index])


def _ball_box(entry: Any, found: Detections, index: int, options: DetectionParameters) -> None:
    _set_box(entry.bb, found.box[index])
    entry.center.x, entry.center.y = found.pixel[index].tolist()


def _solid(entry: Any, found: Detections, index: int, options: DetectionParameters) -> None:
    set_xyz(entry.bb.center.position, found.position[index].tolist())
    set_quaternion(entry.bb.center.orientation, quaternion_from_rotation(found.axes))
    set_xyz(entry.bb.size, found.size[index].tolist())


def _ball_centre(entry: Any, found: Detections, index: int, options: DetectionParameters) -> None:
    set_xyz(entry.center, found.position[index].tolist())


def _robot_state(entry: Any, found: Detections, index: int, options: DetectionParameters) -> None:
    heading, pose = float(found.heading[index]), entry.pose.pose
    set_xyz(pose.position, found.in_map[index].tolist())
    set_quaternion(pose.orientation, quaternion_from_rotation(rotation_from_rpy((0.0, 0.0, heading))))
    entry.pose.covariance = _covariance_6(found.covariance[index], options.heading_noise**2)
    set_xyz(entry.twist.twist.linear, found.velocity[index].tolist())
    entry.twist.covariance = _covariance_6(np.eye(3) * options.velocity_noise**2)


def _write_markings_2d(publisher: LevelPublisher, found: Detections) -> bool:
    segments, crossings, ellipses = _new_markings(publisher, found)
    for entry, ((x1, y1), (x2, y2)) in zip(segments, found.line_pixels.tolist(), strict=True):
        entry.start.x, entry.start.y, entry.end.x, entry.end.y = x1, y1, x2, y2
    for entry, crossing in zip(crossings, found.markings.crossings, strict=True):
        entry.center.x, entry.center.y = crossing.pixel.tolist()
        entry.heading_rays = crossing.headings.tolist()
    for entry, ellipse in zip(ellipses, found.markings.ellipses, strict=True):
        entry.center.x, entry.center.y = ellipse.pixel.tolist()
        _set_box(entry.bb, ellipse.box)
    return True


def _write_markings_3d(publisher: LevelPublisher, found: Detections) -> bool:
    segments, crossings, ellipses = _new_markings(publisher, found)
    for entry, (start, end) in zip(segments, found.lines.tolist(), strict=True):
        set_xyz(entry.start, start)
        set_xyz(entry.end, end)
    for entry, crossing in zip(crossings, found.markings.crossings, strict=True):
        set_xyz(entry.center, crossing.position.tolist())
        entry.rays = [Vector3(x=x, y=y, z=z) for x, y, z in crossing.rays.tolist()]
    for entry, ellipse in zip(ellipses, found.markings.ellipses, strict=True):
        entry.diameter = ellipse.diameter
        set_xyz(entry.center.position, ellipse.position.tolist())
        set_quaternion(entry.center.orientation, quaternion_from_rotation(found.axes))
    return True


def _new_markings(publisher: LevelPublisher, found: Detections) -> tuple[list[Any], list[Any], list[Any]]:
    """Give the message new segments (the centre circle as chords), intersections and ellipses, to be written."""
    message, markings = publisher.message, found.markings
    message.segments = segments = [publisher.new("MarkingSegment") for _ in range(len(found.lines))]
    message.intersections = crossings = [publisher.new("MarkingIntersection") for _ in markings.crossings]
    message.ellipses = ellipses = [publisher.new("MarkingEllipse") for _ in markings.ellipses]
    for entry, crossing in zip(crossings, markings.crossings, strict=True):
        entry.num_rays = len(crossing.rays)
    return segments, crossings, ellipses


def _write_model_ball(publisher: LevelPublisher, found: Detections) -> bool:
    balls = np.flatnonzero(found.kind == Detected.BALL)
    if not len(balls):
        return False
    ball, message = int(balls[0]), publisher.message
    set_xyz(message.point.point, found.in_map[ball].tolist())
    message.point.covariance = found.covariance[ball].ravel().tolist()
    set_xyz(message.twist.twist.linear, found.velocity[ball].tolist())
    message.twist.covariance = _covariance_6(np.eye(3) * publisher.options.velocity_noise**2)
    return True


def _write_pose(publisher: LevelPublisher, found: Detections) -> bool:
    options, pose = publisher.options, publisher.message.pose
    set_xyz(pose.pose.position, found.pose[:, 3].tolist())
    set_quaternion(pose.pose.orientation, quaternion_from_rotation(found.pose[:, :3]))
    noise = options.position_noise**2
    pose.covariance = _covariance_6(np.diag([noise, noise, 0.0]), options.heading_noise**2)
    return True


_IN_PICTURE, _IN_SPACE = "found in a picture.", "found in a picture, in the detector's frame."

LEVELS = (
    Level("vision_2d/balls", _2D, "BallArray", partial(_balls, _ball_box), f"boxes around the balls {_IN_PICTURE}"),
    Level(
        "vision_2d/goalposts",
        _2D,
        "GoalpostArray",
        partial(_goalposts, _box),
        f"boxes around the goal posts {_IN_PICTURE}",
    ),
    Level("vision_2d/robots", _2D, "RobotArray", partial(_robots, _box), f"boxes around the robots {_IN_PICTURE}"),
    Level(
        "vision_2d/markings",
        _2D,
        "MarkingArray",
        _write_markings_2d,
        "visible parts of lines as segments of the picture.",
    ),
    Level("vision_3d/balls", _3D, "BallArray", partial(_balls, _ball_centre), f"the balls {_IN_SPACE}"),
    Level(
        "vision_3d/goalposts",
        _3D,
        "GoalpostArray",
        partial(_goalposts, _solid),
        "the posts found, in the detector's frame.",
    ),
    Level("vision_3d/robots", _3D, "RobotArray", partial(_robots, _solid), f"the robots {_IN_SPACE}"),
    Level(
        "vision_3d/markings",
        _3D,
        "MarkingArray",
        _write_markings_3d,
        "visible parts of lines, in the detector's frame.",
    ),
    Level(
        "model/ball",
        _MODEL,
        "Ball",
        _write_model_ball,
        "in pictures with a ball; the true one if that is found, else a phantom.",
    ),
    Level(
        "model/robots", _MODEL, "RobotArray", partial(_robots, _robot_state), "the robots found in a picture, in `map`."
    ),
    Level(
        "model/pose",
        "geometry_msgs",
        "PoseWithCovarianceStamped",
        _write_pose,
        "the pose of its base frame, as the robot believes it.",
    ),
)
"""The topics of a detector."""


def _set_box(message: Any, box: Array) -> None:
    """Write a box (4,) of the picture."""
    left, top, right, bottom = box.tolist()
    middle = message.center.position
    middle.x, middle.y = (left + right) / 2.0, (top + bottom) / 2.0
    message.size_x, message.size_y = right - left, bottom - top


def _set_attributes(entry: Any, found: Detections, index: int) -> None:
    """Write the attributes of a robot or goal post; the confidence stays unknown."""
    kind = found.kind[index]
    if kind == Detected.GOALPOST:
        entry.attributes.side, entry.attributes.team = int(found.number[index]), int(found.team[index])
    elif kind == Detected.ROBOT:
        entry.attributes.player_number = min(int(found.number[index]), 255)
        entry.attributes.team = int(found.team[index])
        entry.attributes.state, entry.attributes.facing = int(found.state[index]), int(found.facing[index])


def _covariance_6(position: Array, yaw: float = 0.0) -> list[float]:
    """Row-major 6x6 covariance of a position (3, 3) and a rotation about z."""
    covariance = np.zeros((6, 6))
    covariance[:3, :3], covariance[5, 5] = position, yaw
    return covariance.ravel().tolist()
