"""The cameras that a robot's description asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simspark_ros.configuration import ConfigurationError, build
from simspark_ros.rendering.optics import MAX_PIXELS, CameraMount, Lens
from simspark_ros.robots.description import RobotDescription

KIND = "camera"
"""Kind of perceptor that is a camera."""

MIN_FOV_DEG, MAX_FOV_DEG = 1.0, 170.0
MAX_RATE_HZ = 1000.0


@dataclass(frozen=True)
class CameraSettings:
    """Parameters of a perceptor of kind `camera`.

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
        limits = {
            "width": (1, MAX_PIXELS),
            "height": (1, MAX_PIXELS),
            "rate_hz": (0.01, MAX_RATE_HZ),
            "horizontal_fov_deg": (MIN_FOV_DEG, MAX_FOV_DEG),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must be between {low} and {high}, not {value}")

    @property
    def lens(self) -> Lens:
        """Size and field of view."""
        return Lens(self.width, self.height, math.radians(self.horizontal_fov_deg))


@dataclass(frozen=True)
class RobotCamera:
    """One camera of a robot.

    Attributes:
        name: of the perceptor; the last part of its topics' namespace.
        frame: frame id of its pictures.
        mount: where it is on the robot.
        settings: of its pictures.
    """

    name: str
    frame: str
    mount: CameraMount
    settings: CameraSettings


def cameras_of(description: RobotDescription) -> tuple[RobotCamera, ...]:
    """All cameras of a robot.

    Raises:
        ConfigurationError: one has wrong parameters, or sits on a frame that is none; the message names both.
    """
    cameras = []
    for spec in description.perceptors:
        if spec.kind != KIND:
            continue
        where = f"robot '{description.name}': camera '{spec.name}'"
        settings = build(CameraSettings, spec.parameters, where)
        carrier = spec.link or description.model.base.name
        try:
            if settings.optical_frame:
                mount = CameraMount.optical(description.model, settings.optical_frame)
            else:
                mount = CameraMount.forward(description.model, carrier)
        except KeyError as error:
            raise ConfigurationError(f"{where}: {error.args[0]}") from None
        cameras.append(RobotCamera(spec.name, settings.optical_frame or f"{carrier}_optical", mount, settings))
    return tuple(cameras)
