"""Sensors that a URDF document declares for Gazebo, kind by kind, as entries of a robot's YAML file."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol, TypeAlias

from simspark_ros.robots.formats.parts.sensor_tags import INERTIAL, SensorTags

_MOST_BEAMS, _MOST_PIXELS, _FAR, _FAR_SEEN = 4096, 4096, 1000.0, 100.0
"""Largest numbers of beams and pixels, and largest ranges of range finders and cameras, m."""


class Bodies(Protocol):
    """The bodies of the document."""

    def touch(self, sensor: ET.Element, link: str) -> str:
        """Measure contacts of a link, or of the body it is part of; returns that body, empty if nothing collides."""

    def has_mass(self, link: str) -> bool:
        """Whether a link is a body of its own, which a joint can carry."""


Entries: TypeAlias = Iterator[dict[str, Any]]
SensorReader: TypeAlias = Callable[[Bodies, SensorTags, str], Entries]
"""Yields the perceptors of a sensor without names; arguments: the bodies, the sensor, the link that carries it."""


def _imu(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    interval = tags.interval()
    for kind in INERTIAL:
        yield {"kind": kind, "parameters": {"interval": interval, "noise": tags.inertial_noise(kind)}}


def _laser(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    def scan(path: str, default: float) -> float:
        for group in ("ray", "lidar"):
            if tags.element.find(f"{group}/{path}") is not None:
                return tags.number(f"{group}/{path}", default)
        return default

    if scan("scan/vertical/samples", 1.0) > 1.0:
        tags.approximated(f"sensor '{tags.name}'", "only its horizontal beams are kept")
    low = _clamped(math.degrees(scan("scan/horizontal/min_angle", -math.pi / 2.0)), -360.0, 359.0)
    high = _clamped(math.degrees(scan("scan/horizontal/max_angle", math.pi / 2.0)), low + 1.0, low + 360.0)
    nearest = _clamped(scan("range/min", 0.0), 0.0, _FAR / 2.0)
    yield {
        "kind": "laser",
        "parameters": {
            "interval": tags.interval(),
            "beams": int(_clamped(scan("scan/horizontal/samples", 181.0), 2.0, _MOST_BEAMS)),
            "angle_min_deg": low,
            "angle_max_deg": min(high, 360.0),
            "range_min": nearest,
            "range_max": _clamped(scan("range/max", 10.0), nearest + 0.01, _FAR),
            "noise": tags.noise("ray/noise", 100.0) or tags.noise("lidar/noise", 100.0),
        },
    }


def _sonar(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    nearest = _clamped(tags.number("sonar/min", 0.0), 0.0, _FAR / 2.0)
    farthest = _clamped(tags.number("sonar/max", 4.0), nearest + 0.01, _FAR)
    opening = 2.0 * math.degrees(math.atan2(tags.number("sonar/radius", 0.25 * farthest), farthest))
    limits = {"range_min": nearest, "range_max": farthest, "field_of_view_deg": _clamped(opening, 0.0, 170.0)}
    yield {"kind": "range", "parameters": {"interval": tags.interval(), **limits}}


def _camera(bodies: Bodies, tags: SensorTags, link: str, depth: bool = False) -> Entries:
    nearest = _clamped(tags.number("camera/clip/near", 0.1), 0.0, _FAR_SEEN / 2.0)
    across = math.degrees(tags.number("camera/horizontal_fov", math.radians(60.0)))
    parameters: dict[str, Any] = {
        "width": int(_clamped(tags.number("camera/image/width", 320.0), 1.0, _MOST_PIXELS)),
        "height": int(_clamped(tags.number("camera/image/height", 240.0), 1.0, _MOST_PIXELS)),
        "rate_hz": tags.picture_rate(),
        "horizontal_fov_deg": _clamped(across, 10.0, 150.0),
        "noise": tags.picture_noise(),
    }
    if depth:
        far = _clamped(tags.number("camera/clip/far", 100.0), nearest + 0.01, _FAR_SEEN)
        parameters |= {"depth": True, "depth_min": nearest, "depth_max": far}
    yield {"kind": "camera", "parameters": parameters}


def _magnetometer(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    parameters = {"interval": tags.interval(), "noise": tags.axes_noise("magnetometer")}
    yield {"kind": "magnetometer", "parameters": parameters}


def _contact(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    if body := bodies.touch(tags.element, link):
        parameters = {"interval": tags.interval()}
        yield {"kind": "touch", "link": body, "parameters": parameters}
        yield {"kind": "force_resistance", "link": body, "parameters": parameters}


def _force_torque(bodies: Bodies, tags: SensorTags, link: str) -> Entries:
    if bodies.has_mass(link):
        yield {"kind": "force_torque", "parameters": {"interval": tags.interval(), **tags.wrench_noise()}}


SENSORS: Mapping[str, SensorReader] = {
    "imu": _imu,
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar"), _laser),
    "sonar": _sonar,
    **dict.fromkeys(("camera", "wideanglecamera"), _camera),
    **dict.fromkeys(("depth", "depth_camera", "rgbd", "rgbd_camera"), partial(_camera, depth=True)),
    "magnetometer": _magnetometer,
    "contact": _contact,
    "force_torque": _force_torque,
}
"""Readers of sensors by their type."""

ON_LINKS = ("contact", "force_torque")
"""Types of sensors that feel a link, wherever their pose is."""


def _clamped(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
