"""Detections as vision software tells them: in the picture (2-D), in space (3-D), and on the field (model).

Messages come from soccer_vision_2d_msgs, soccer_vision_3d_msgs and soccer_model_msgs if installed, else from ours with
the same fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from geometry_msgs.msg import Vector3

from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.detection.detecting import DetectionParameters
from simspark_ros.perceptors.detection.detections import camera_frame
from simspark_ros.perceptors.readings import Crossing, Detected, Detections, Ellipse
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import MAP, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import MissingPackageError, RobotEntry, TopicPublisher, below, message_type

_2D, _3D, _MODEL = "soccer_vision_2d_msgs", "soccer_vision_3d_msgs", "soccer_model_msgs"
OWN = {_2D: "Vision2d", _3D: "Vision3d", _MODEL: "Model"}
"""Prefixes of our messages' names, by the package whose fields they have."""


def soccer_type(package: str, name: str) -> type[Any]:
    """A message of one of the packages, or ours where it is not installed."""
    return message_type(soccer_type_name(package, name))


def soccer_type_name(package: str, name: str) -> str:
    """The full name of the message that `soccer_type` returns."""
    try:
        message_type(f"{package}/msg/{name}")
    except MissingPackageError:
        return f"simspark_ros/msg/{OWN[package]}{name}"
    return f"{package}/msg/{name}"


class _LevelPublisher(TopicPublisher):
    """Base of a topic of detectors, sent in the cycles of their pictures.

    Attributes:
        name: name of the topic, below the detector's name if the detector has one of its own.
        type_name: package and name of the message.
    """

    name: ClassVar[str] = ""
    type_name: ClassVar[tuple[str, str]]

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        super().__init__(robot.topic(below(spec, self.name)), self.message_class()(), cycle)
        self.perceptor = self._key = robot.handle, spec.kind, spec.name
        self.adjust(robot)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle, spec) for spec in robot.perceptors("detections")]

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        self.options = build(DetectionParameters, dict(spec.parameters), spec.name)
        self.message.header.frame_id = self.frame(robot, spec)

    @classmethod
    def message_type_name(cls) -> str:
        """Full name of the type of the topic."""
        return soccer_type_name(*cls.type_name)

    @classmethod
    def message_class(cls) -> type[Any]:
        """The class of the topic's messages."""
        return message_type(cls.message_type_name())

    def frame(self, robot: RobotEntry, spec: PerceptorSpec) -> str:
        """Frame id of the header."""
        return MAP

    def fill(self) -> bool:
        found = self.cycle.detections.get(self._key)
        return found is not None and self.write(found)

    def write(self, found: Detections) -> bool:
        """Write the message; False = there is nothing to send."""
        raise NotImplementedError


class _ThingsPublisher(_LevelPublisher):
    """Things of one kind as an array: the field `entries`, with elements of the type `element`."""

    kind: ClassVar[Detected]
    entries: ClassVar[str]
    element: ClassVar[str]

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        super().__init__(robot, cycle, spec)
        self._element = soccer_type(self.type_name[0], self.element)

    def write(self, found: Detections) -> bool:
        made = []
        for index in np.flatnonzero(found.kind == self.kind).tolist():
            entry = self._element()
            self.write_place(entry, found, index)
            _set_attributes(entry, found, index)
            made.append(entry)
        setattr(self.message, self.entries, made)
        return True

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        """Write where a thing is."""
        raise NotImplementedError


class _In2d(_ThingsPublisher):
    def frame(self, robot: RobotEntry, spec: PerceptorSpec) -> str:
        return robot.prefix + camera_frame(spec, robot.description)

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        _set_box(entry.bb, found.box[index])


class _In3d(_ThingsPublisher):
    def frame(self, robot: RobotEntry, spec: PerceptorSpec) -> str:
        return robot.frame(spec.link)

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        set_xyz(entry.bb.center.position, found.position[index].tolist())
        set_quaternion(entry.bb.center.orientation, quaternion_from_rotation(found.axes))
        set_xyz(entry.bb.size, found.size[index].tolist())


class Balls2dPublisher(_In2d):
    """`vision_2d/balls` (soccer_vision_2d_msgs/BallArray): boxes around the balls found in a picture."""

    name, type_name, kind = "vision_2d/balls", (_2D, "BallArray"), Detected.BALL
    entries, element = "balls", "Ball"

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        super().write_place(entry, found, index)
        entry.center.x, entry.center.y = found.pixel[index].tolist()


class Goalposts2dPublisher(_In2d):
    """`vision_2d/goalposts` (soccer_vision_2d_msgs/GoalpostArray): boxes around the goal posts found in a picture."""

    name, type_name, kind = "vision_2d/goalposts", (_2D, "GoalpostArray"), Detected.GOALPOST
    entries, element = "posts", "Goalpost"


class Robots2dPublisher(_In2d):
    """`vision_2d/robots` (soccer_vision_2d_msgs/RobotArray): boxes around the robots found in a picture."""

    name, type_name, kind = "vision_2d/robots", (_2D, "RobotArray"), Detected.ROBOT
    entries, element = "robots", "Robot"


class Balls3dPublisher(_In3d):
    """`vision_3d/balls` (soccer_vision_3d_msgs/BallArray): the balls found in a picture, in the detector's frame."""

    name, type_name, kind = "vision_3d/balls", (_3D, "BallArray"), Detected.BALL
    entries, element = "balls", "Ball"

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        set_xyz(entry.center, found.position[index].tolist())


class Goalposts3dPublisher(_In3d):
    """`vision_3d/goalposts` (soccer_vision_3d_msgs/GoalpostArray): the posts found, in the detector's frame."""

    name, type_name, kind = "vision_3d/goalposts", (_3D, "GoalpostArray"), Detected.GOALPOST
    entries, element = "posts", "Goalpost"


class Robots3dPublisher(_In3d):
    """`vision_3d/robots` (soccer_vision_3d_msgs/RobotArray): the robots found in a picture, in the detector's frame."""

    name, type_name, kind = "vision_3d/robots", (_3D, "RobotArray"), Detected.ROBOT
    entries, element = "robots", "Robot"


class _MarkingsPublisher(_LevelPublisher):
    """The visible parts of lines as segments; the centre circle is its chords."""

    def __init__(self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec) -> None:
        super().__init__(robot, cycle, spec)
        types = (soccer_type(self.type_name[0], f"Marking{name}") for name in ("Segment", "Intersection", "Ellipse"))
        self._segment, self._crossing, self._ellipse = types

    def segments(self, count: int) -> list[Any]:
        """The segments of the message, to be written."""
        self.message.segments = made = [self._segment() for _ in range(count)]
        return made

    def write(self, found: Detections) -> bool:
        self.message.intersections = [self.crossing(one) for one in found.markings.crossings]
        self.message.ellipses = [self.ellipse(one) for one in found.markings.ellipses]
        return True

    def crossing(self, one: Crossing) -> Any:
        """The message of a crossing."""
        made = self._crossing()
        made.num_rays = len(one.rays)
        return made

    def ellipse(self, one: Ellipse) -> Any:
        """The message of a circle."""
        return self._ellipse()


class Markings2dPublisher(_MarkingsPublisher):
    """`vision_2d/markings` (soccer_vision_2d_msgs/MarkingArray): visible parts of lines as segments of the picture."""

    name, type_name = "vision_2d/markings", (_2D, "MarkingArray")
    frame = _In2d.frame

    def write(self, found: Detections) -> bool:
        ends = found.line_pixels.tolist()
        for entry, ((x1, y1), (x2, y2)) in zip(self.segments(len(ends)), ends, strict=True):
            entry.start.x, entry.start.y, entry.end.x, entry.end.y = x1, y1, x2, y2
        return super().write(found)

    def crossing(self, one: Crossing) -> Any:
        made = super().crossing(one)
        made.center.x, made.center.y = one.pixel.tolist()
        made.heading_rays = one.headings.tolist()
        return made

    def ellipse(self, one: Ellipse) -> Any:
        made = super().ellipse(one)
        made.center.x, made.center.y = one.pixel.tolist()
        _set_box(made.bb, one.box)
        return made


class Markings3dPublisher(_MarkingsPublisher):
    """`vision_3d/markings` (soccer_vision_3d_msgs/MarkingArray): visible parts of lines, in the detector's frame."""

    name, type_name = "vision_3d/markings", (_3D, "MarkingArray")
    frame = _In3d.frame

    def write(self, found: Detections) -> bool:
        ends = found.lines.tolist()
        for entry, (start, end) in zip(self.segments(len(ends)), ends, strict=True):
            set_xyz(entry.start, start)
            set_xyz(entry.end, end)
        self._axes = found.axes
        return super().write(found)

    def crossing(self, one: Crossing) -> Any:
        made = super().crossing(one)
        set_xyz(made.center, one.position.tolist())
        made.rays = [Vector3(x=x, y=y, z=z) for x, y, z in one.rays.tolist()]
        return made

    def ellipse(self, one: Ellipse) -> Any:
        made = super().ellipse(one)
        made.diameter = one.diameter
        set_xyz(made.center.position, one.position.tolist())
        set_quaternion(made.center.orientation, quaternion_from_rotation(self._axes))
        return made


class ModelBallPublisher(_LevelPublisher):
    """`model/ball` (soccer_model_msgs/Ball): in pictures with a ball; the true one if that is found, else a phantom."""

    name, type_name = "model/ball", (_MODEL, "Ball")

    def write(self, found: Detections) -> bool:
        balls = np.flatnonzero(found.kind == Detected.BALL)
        if not len(balls):
            return False
        ball, message = int(balls[0]), self.message
        set_xyz(message.point.point, found.in_map[ball].tolist())
        message.point.covariance = found.covariance[ball].ravel().tolist()
        set_xyz(message.twist.twist.linear, found.velocity[ball].tolist())
        message.twist.covariance = _covariance_6(np.eye(3) * self.options.velocity_noise**2)
        return True


class ModelRobotsPublisher(_ThingsPublisher):
    """`model/robots` (soccer_model_msgs/RobotArray): the robots found in a picture, in `map`."""

    name, type_name, kind = "model/robots", (_MODEL, "RobotArray"), Detected.ROBOT
    entries, element = "robots", "Robot"

    def write_place(self, entry: Any, found: Detections, index: int) -> None:
        heading, pose = float(found.heading[index]), entry.pose.pose
        set_xyz(pose.position, found.in_map[index].tolist())
        set_quaternion(pose.orientation, quaternion_from_rotation(rotation_from_rpy((0.0, 0.0, heading))))
        entry.pose.covariance = _covariance_6(found.covariance[index], self.options.heading_noise**2)
        set_xyz(entry.twist.twist.linear, found.velocity[index].tolist())
        entry.twist.covariance = _covariance_6(np.eye(3) * self.options.velocity_noise**2)


class ModelPosePublisher(_LevelPublisher):
    """`model/pose` (geometry_msgs/PoseWithCovarianceStamped): where the robot believes its base frame is."""

    name = "model/pose"

    @classmethod
    def message_type_name(cls) -> str:
        return "geometry_msgs/msg/PoseWithCovarianceStamped"

    def write(self, found: Detections) -> bool:
        noise = self.options.position_noise
        set_xyz(self.message.pose.pose.position, found.pose[:, 3].tolist())
        set_quaternion(self.message.pose.pose.orientation, quaternion_from_rotation(found.pose[:, :3]))
        covariance = _covariance_6(np.diag([noise**2, noise**2, 0.0]), self.options.heading_noise**2)
        self.message.pose.covariance = covariance
        return True


LEVELS = (
    Balls2dPublisher,
    Goalposts2dPublisher,
    Robots2dPublisher,
    Markings2dPublisher,
    Balls3dPublisher,
    Goalposts3dPublisher,
    Robots3dPublisher,
    Markings3dPublisher,
    ModelBallPublisher,
    ModelRobotsPublisher,
    ModelPosePublisher,
)
"""The topics of a detector."""


def _set_box(message: Any, box: Array) -> None:
    """Write a box (4,) of the picture."""
    left, top, right, bottom = box.tolist()
    middle = message.center.position
    middle.x, middle.y = (left + right) / 2.0, (top + bottom) / 2.0
    message.size_x, message.size_y = right - left, bottom - top


def _set_attributes(entry: Any, found: Detections, index: int) -> None:
    """Write what is known of a robot or goal post; the confidence stays unknown."""
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
    flat: list[float] = covariance.ravel().tolist()
    return flat
