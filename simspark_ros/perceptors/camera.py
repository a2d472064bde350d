"""The camera perceptor: it has no values; the camera process renders pictures from the poses of the world."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from simspark_ros.configuration.schema import Checked, Error, Range, build
from simspark_ros.perceptors.base import Perceptor, check_place
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.distortion import NO_DISTORTION, undistorted
from simspark_ros.physics.geometry.mirrors import Mirror
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature

MAX_PIXELS = 4096
MIN_FOV_DEG, MAX_FOV_DEG = 1.0, 170.0
MAX_RATE_HZ = 1000.0
MAX_WIDENING = 2.0
"""Most by which distortion may widen the tangent of half the field of view, as a factor."""

OPTICAL_DOWN = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""Optical axes of a camera with a mirror, which looks around and down: forward is at the top of its picture."""

OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Optical axes (x right, y down, z forward) in a camera's body frame (x forward, y left, z up)."""

IMAGE, DEPTH = Feature("image", ("red", "green", "blue")), Feature("depth", ("distance",))
LABELS = Feature("labels", ("label",))

_DISTANCE = Range(0.0, 100.0, "m")


@dataclass(frozen=True)
class CameraParameters(Checked):
    """Parameters in YAML.

    Attributes:
        optical_frame: frame of the pictures (z forward, x right); empty = derived from the carrying frame.
        width, height: size of the pictures, pixels.
        rate_hz: pictures per simulated second.
        horizontal_fov_deg: field of view across the whole width of a lens without distortion, degrees.
        distortion: distortion of the lens, k1, k2, p1, p2, k3 (`plumb_bob`).
        noise: standard deviation of red, green and blue, of 255.
        blur: standard deviation of a Gaussian blur, pixels.
        antialias: samples along each edge of a pixel.
        aperture, focus: diameter, m, which blurs things nearer or farther than `focus`, m; 0 = all is sharp.
        depth: whether it measures distances, too.
        depth_min, depth_max: least and greatest distance that is measured, m.
        depth_noise: standard deviation of distances, m.
        segmentation: whether it also labels the thing that each pixel shows.
        mirror: mirror through which it sees all around: a hyperboloid, or one that shows the ground as a map. Its edge
            is a circle as wide as the picture's shorter side. With a mirror there is no lens and no field of view.
        mirror_view_deg: angle from the axis that the mirror shows at its edge; 90 is the horizon.
        mirror_eccentricity: eccentricity of a hyperboloid.
    """

    optical_frame: str = ""
    width: Annotated[int, Range(1, MAX_PIXELS)] = 320
    height: Annotated[int, Range(1, MAX_PIXELS)] = 240
    rate_hz: Annotated[float, Range(0.01, MAX_RATE_HZ)] = 10.0
    horizontal_fov_deg: Annotated[float, Range(MIN_FOV_DEG, MAX_FOV_DEG)] = 60.0
    distortion: tuple[float, float, float, float, float] = NO_DISTORTION
    noise: Annotated[float, Range(0.0, 255.0), Error()] = 0.0
    blur: Annotated[float, Range(0.0, 100.0, "pixels")] = 0.0
    antialias: Annotated[int, Range(1, 4)] = 1
    aperture: Annotated[float, Range(0.0, 1.0, "m")] = 0.0
    focus: Annotated[float, Range(0.01, 1000.0, "m")] = 2.0
    depth: bool = False
    depth_min: Annotated[float, _DISTANCE] = 0.0
    depth_max: Annotated[float, _DISTANCE] = 100.0
    depth_noise: Annotated[float, _DISTANCE, Error()] = 0.0
    segmentation: bool = False
    mirror: Literal["", "hyperbolic", "isometric"] = ""
    mirror_view_deg: Annotated[float, Range(1.0, 179.0)] = 80.0
    mirror_eccentricity: Annotated[float, Range(1.0, 100.0, above=True)] = 1.5

    def __post_init__(self) -> None:
        """Check the values, and that light falls on the whole edge of the picture."""
        super().__post_init__()
        if self.antialias * max(self.width, self.height) > MAX_PIXELS:
            raise ValueError(f"antialias x width and antialias x height must be at most {MAX_PIXELS} pixels")
        if self.reflection is not None and (self.aperture or self.distortion != NO_DISTORTION):
            raise ValueError("a camera with a mirror has neither distortion nor aperture")
        if self.distortion == NO_DISTORTION:
            return
        across = self.width / 2.0 / self.focal_length
        wide = np.abs(self.edge) / [[across], [across * self.height / self.width]]
        if wide.max() > MAX_WIDENING:
            raise ValueError(f"distortion widens the field of view by more than {MAX_WIDENING:g}; use less of it")

    @property
    def reflection(self) -> Mirror | None:
        """The mirror that it looks into."""
        if not self.mirror:
            return None
        return Mirror(self.mirror, self.mirror_eccentricity, math.radians(self.mirror_view_deg))

    @property
    def optical(self) -> Array:
        """Optical axes (3, 3) in the link or frame that carries the camera, unless it has an optical frame."""
        return OPTICAL_DOWN if self.mirror else OPTICAL

    @property
    def focal_length(self) -> float:
        """Focal length in pixels, the same in both directions."""
        return self.width / 2.0 / math.tan(math.radians(self.horizontal_fov_deg) / 2.0)

    @property
    def edge(self) -> Array:
        """Directions (2, N) of points along the edge of the picture: x right and y down over the distance z."""
        along = np.linspace(-1.0, 1.0, 33)
        ends = np.ones_like(along)
        sides = [(along, ends), (along, -ends), (ends, along), (-ends, along)]
        shown = np.concatenate(sides, axis=1) * [[self.width], [self.height]] / (2.0 * self.focal_length)
        return undistorted(shown, self.distortion)


class CameraPerceptor(Perceptor):
    """Marks a camera on a robot."""

    options = CameraParameters

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """The picture (0 to 255), and distances (m) and labels of the pixels if the camera has them."""
        settings = build(CameraParameters, dict(spec.parameters), spec.name)
        layers = ((DEPTH, settings.depth), (LABELS, settings.segmentation))
        return (IMAGE, *(feature for feature, is_there in layers if is_there))

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse wrong parameters, and places that the robot does not have."""
        super().check(spec, description)
        for place in (spec.link, spec.parameters.get("optical_frame", "")):
            check_place(replace(spec, link=place), description)
