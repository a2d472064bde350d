"""Pictures of cameras, from a simulator or a driver."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.sensor_sources.source import TopicSource, Values

_TOPICS = {"image": "image_raw", "depth": "depth/image_raw", "labels": "segmentation/image_raw"}
"""Topics of a camera's features, below the camera's name."""

_PIXELS: dict[str, tuple[np.dtype[Any], int]] = {
    "rgb8": (np.dtype("u1"), 3),
    "bgr8": (np.dtype("u1"), 3),
    "mono8": (np.dtype("u1"), 1),
    "16UC1": (np.dtype("u2"), 1),
    "32FC1": (np.dtype("f4"), 1),
}
"""Type and count of the numbers of a pixel, by encoding of sensor_msgs/Image."""


def source_of_camera(spec: PerceptorSpec, feature: str) -> TopicSource:
    """The topic with a feature of a camera."""
    return TopicSource("sensor_msgs/msg/Image", f"{spec.name}/{_TOPICS[feature]}", partial(_of_image, feature))


def _of_image(feature: str, message: Any) -> Values:
    """A picture (height, width, C); a UserError if its encoding is not known."""
    if message.encoding not in _PIXELS:
        known = ", ".join(_PIXELS)
        raise UserError(f"pictures in the encoding '{message.encoding[:40]}' cannot be read; these can: {known}")
    number, channels = _PIXELS[message.encoding]
    number = number.newbyteorder(">" if message.is_bigendian else "<")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    # A driver may have more bytes in a row than its pixels need.
    used = np.ascontiguousarray(rows[:, : message.width * channels * number.itemsize])
    picture = used.view(number).reshape(message.height, message.width, channels)
    return {feature: (picture[..., ::-1] if message.encoding == "bgr8" else picture).astype(np.float64)}
