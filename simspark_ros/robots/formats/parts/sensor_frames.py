"""The frame that messages of a Gazebo sensor name, in URDF and SDF alike: a tag of the sensor or of its plug-in."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from simspark_ros.configuration.names import is_name
from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.robots.formats.parts.sensor_tags import SensorTags

OPTICAL = Transform(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
"""Axes of a picture (x right, y down, z forward) in the axes of a camera."""

_TAGS = ("gz_frame_id", "ignition_frame_id", "frame_id", "plugin/frame_name", "plugin/frameName")
_CAMERA_TAGS = ("camera/optical_frame_id", *_TAGS)

_DISTANCE, _ANGLE_DEG = 1e-3, 1.0
"""Distance, m, and angle by which a frame may differ from its sensor's."""

_LENS = 0.03
"""Distance between a camera's pose and its lens, m: depth cameras have their frame between their lenses."""


class Frame(NamedTuple):
    """A frame of the robot.

    Attributes:
        name: name in the robot.
        pose: pose in the frame of the link that carries the sensor; None if joints move it against this link.
    """

    name: str
    pose: Transform | None


Find: TypeAlias = Callable[[str], Frame | None]
"""Finds the frame of a name; None if the robot has none."""


def named_frame(tags: SensorTags, pose: Transform, find: Find, own: str, is_camera: bool = False) -> str:
    """The frame that the tags of a sensor name, if it is where the sensor is; the caller makes a frame of a new name.

    Args:
        tags: tags of the sensor.
        pose: pose of the sensor in the frame of its link; of a camera that of its pictures, z forward.
        find: finds the frames of the robot.
        own: name of the sensor's frame, if the tags name none.
        is_camera: whether it is a camera, which has an optical frame.

    Returns:
        The name; empty if no tag names a usable frame.
    """
    for path in _CAMERA_TAGS if is_camera else _TAGS:
        text = (tags.element.findtext(path) or "").strip().strip("/")
        if not text:
            continue
        what = f"<{path.rpartition('/')[2]}> {text[:80]} of sensor '{tags.name}'"
        # Gazebo writes names below those of the model.
        short = re.split("/|::", text)[-1]
        found = find(text) or find(short)
        if found is not None and found.pose is not None:
            distance, angle = _difference(pose, found.pose)
            if angle <= _ANGLE_DEG and distance <= (_LENS if is_camera else _DISTANCE):
                if distance > _DISTANCE:
                    how = f"pictures are taken at this frame, {distance:.3g} m from the sensor's pose"
                    tags.approximated(what, how)
                return found.name
        if found is not None:
            lacks = "has not x right, y down, z forward at the camera" if is_camera else "is not where the sensor is"
            tags.approximated(what, f"this frame {lacks}: messages name '{own}'")
            return ""
        if not is_name(short):
            tags.approximated(what, f"this is no name of a frame: messages name '{own}'")
            return ""
        tags.approximated(what, "no link has this name: it becomes a frame where the sensor is")
        return short
    return ""


def note_frame_of_link(tags: SensorTags, link: str) -> None:
    """Note tags that name another frame than the link that a sensor of forces is on, as its messages name this link."""
    for path in _TAGS:
        text = (tags.element.findtext(path) or "").strip().strip("/")
        if text and re.split("/|::", text)[-1] != link:
            what = f"<{path.rpartition('/')[2]}> {text[:80]} of sensor '{tags.name}'"
            tags.approximated(what, f"messages name the link '{link}'")
            return


def _difference(one: Transform, other: Transform) -> tuple[float, float]:
    """Distance, m, and angle, degrees, between two poses."""
    turn = product(one.rotation.T, other.rotation)
    cosine = min(max((float(np.trace(turn)) - 1.0) / 2.0, -1.0), 1.0)
    return math.dist(one.position, other.position), math.degrees(math.acos(cosine))
