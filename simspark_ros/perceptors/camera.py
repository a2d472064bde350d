"""The camera perceptor: without values; the camera process renders pictures from the poses of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.perceptors.base import Perceptor

MAX_PIXELS = 4096
MIN_FOV_DEG, MAX_FOV_DEG = 1.0, 170.0
MAX_RATE_HZ = 1000.0


@dataclass(frozen=True)
class CameraParameters(Checked):
    """Parameters in YAML.

    Attributes:
        optical_frame: frame of the pictures (z forward, x right); empty = derived from the carrying frame.
        width, height: pixels.
        rate_hz: pictures per simulated second.
        horizontal_fov_deg: field of view across the whole width, degrees.
    """

    optical_frame: str = ""
    width: Annotated[int, Range(1, MAX_PIXELS)] = 320
    height: Annotated[int, Range(1, MAX_PIXELS)] = 240
    rate_hz: Annotated[float, Range(0.01, MAX_RATE_HZ)] = 10.0
    horizontal_fov_deg: Annotated[float, Range(MIN_FOV_DEG, MAX_FOV_DEG)] = 60.0


class CameraPerceptor(Perceptor):
    """Marks a camera on a robot."""

    options = CameraParameters
