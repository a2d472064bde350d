"""The cameras that a robot's description asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.rendering.drawing.optics import CameraMount, Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.robots.description import RobotDescription


@dataclass(frozen=True)
class CameraSettings(CameraParameters):
    """Parameters of a perceptor of kind `camera`, and the lens that they make."""

    @property
    def lens(self) -> Lens | MirrorLens:
        """Size, field of view and distortion, or the mirror."""
        if (mirror := self.reflection) is not None:
            return MirrorLens(self.width, self.height, mirror)
        return Lens(self.width, self.height, math.radians(self.horizontal_fov_deg), self.distortion)


@dataclass(frozen=True)
class RobotCamera:
    """One camera of a robot: name of its perceptor, frame id of its pictures, place on the robot, settings."""

    name: str
    frame: str
    mount: CameraMount
    settings: CameraSettings


def cameras_of(description: RobotDescription) -> tuple[RobotCamera, ...]:
    """All cameras of a robot.

    Raises:
        ConfigurationError: a camera has wrong parameters or an unknown frame; the message names both.
    """
    cameras = []
    for spec in description.perceptors:
        if spec.kind != "camera":
            continue
        where = description.place(spec)
        settings = build(CameraSettings, spec.parameters, where)
        carrier = spec.link or description.model.base.name
        try:
            if settings.optical_frame:
                mount = CameraMount.optical(description.model, settings.optical_frame)
            else:
                mount = CameraMount.turned(description.model, carrier, settings.optical)
        except KeyError as error:
            raise ConfigurationError(f"{where}: {error.args[0]}") from None
        cameras.append(RobotCamera(spec.name, settings.optical_frame or f"{carrier}_optical", mount, settings))
    return tuple(cameras)
