"""The camera: it has no values of its own; pictures are made by the camera process from the poses of the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simspark_ros.perceptors.base import Perceptor

MAX_PIXELS = 4096
MIN_FOV_DEG, MAX_FOV_DEG = 1.0, 170.0
MAX_RATE_HZ = 1000.0


@dataclass(frozen=True)
class CameraParameters:
    """Parameters in YAML.

    Attributes:
        optical_frame: frame of the pictures (z forward, x right); empty = made from the frame that carries the camera.
        width, height: pixels.
        rate_hz: pictures per simulated second.
        horizontal_fov_deg: field of view across the whole width, degrees.
    """

    optical_frame: str = ""
    width: int = 320
    height: int = 240
    rate_hz: float = 10.0
    horizontal_fov_deg: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        limits: Mapping[str, tuple[float, float]] = {
            "width": (1, MAX_PIXELS),
            "height": (1, MAX_PIXELS),
            "rate_hz": (0.01, MAX_RATE_HZ),
            "horizontal_fov_deg": (MIN_FOV_DEG, MAX_FOV_DEG),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must be between {low:g} and {high:g}, not {value}")


class CameraPerceptor(Perceptor):
    """Marks a camera on a robot."""

    options = CameraParameters
