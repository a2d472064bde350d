"""Reads what Gazebo's sensors have in URDF and SDF alike: noise and rates. Differences go to the report."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field

from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.urdf.document import line_of

CYCLE_RATE = 50.0
"""Cycles a second of the standard worlds: rates of sensors become whole cycles between two readings."""

CAMERA_RATE = 10.0
"""Pictures a second of a camera without a rate in its file."""

_LONGEST_INTERVAL = 5000
_LEAST_RATE = 0.01
_NEAR = 0.01
"""Part by which a rate may differ without a note."""

_AXES = "xyz"
_MORE_NOISE = ("mean", "bias_mean", "bias_stddev", "dynamic_bias_stddev", "precision")
"""Parts of a noise besides its deviation, which perceptors do not have."""


@dataclass
class SensorTags:
    """The tags of one sensor.

    Attributes:
        element: element of the sensor.
        name: name of the sensor in the file.
        number: the number in an element below the sensor, by path and default; it may raise `RobotError`.
        report: report that differences are written to.
        file: name of the file in the report.
    """

    element: ET.Element
    name: str
    number: Callable[[str, float], float]
    report: ImportReport
    file: str
    _used: set[int] = field(default_factory=set)

    def axes_noise(self, group: str, most: float = 1000.0) -> float:
        """Deviation of all axes of a group of elements `x`, `y`, `z`: the largest."""
        deviations = [self.noise(f"{group}/{axis}/noise", most) for axis in _AXES]
        largest = max(deviations)
        if largest > min(deviations):
            told = ", ".join(f"{value:g}" for value in deviations)
            how = f"{told} along x, y, z: {largest:g} is used for all"
            self.approximated(f"noise of <{group.rpartition('/')[2]}> of sensor '{self.name}'", how)
        return largest

    def inertial_noise(self, kind: str) -> float:
        """Deviation of a perceptor of `INERTIAL`, rad/s or m/s2."""
        group, older = INERTIAL[kind]
        return self.axes_noise(f"imu/{group}") or self.noise("imu/noise", 1000.0, part=f"/{older}")

    def picture_noise(self) -> float:
        """Deviation of the colours of a camera, of 255; that of the file is of 1."""
        return self.noise("camera/noise", 255.0, 255.0)

    def wrench_noise(self) -> dict[str, float]:
        """Deviations of a force-torque sensor, N and N m, by the names of their parameters."""
        return {f"{part}_noise": self.axes_noise(f"force_torque/{part}") for part in ("force", "torque")}

    def noise(self, path: str, most: float, factor: float = 1.0, part: str = "") -> float:
        """Deviation of the noise in an element, or in a part of it, times a factor, from 0 to `most`."""
        noise = self.element.find(path)
        if noise is None:
            return 0.0
        self._used.add(id(noise))
        kind = (noise.get("type") or noise.findtext("type") or "gaussian").strip()
        if kind == "none":
            return 0.0
        path += part
        more = {tag: value for tag in _MORE_NOISE if (value := self.number(f"{path}/{tag}", 0.0)) != 0.0}
        if more:
            told = ", ".join(f"<{tag}> {value:g}" for tag, value in more.items())
            self.dropped(noise, f"{told} of the noise of sensor '{self.name}'", "noise has a <stddev> alone")
        return min(max(factor * self.number(f"{path}/stddev", 0.0), 0.0), most)

    def note_other_noise(self) -> None:
        """Note noise that nothing has asked for."""
        for noise in self.element.iter("noise"):
            if id(noise) not in self._used:
                self.dropped(noise, f"noise of sensor '{self.name}'", "this type of sensor has no noise here")

    def interval(self) -> int:
        """Cycles between two messages."""
        rate = self.number("update_rate", 0.0)
        if rate <= 0.0:
            return 1
        cycles = round(min(max(CYCLE_RATE / rate, 1.0), _LONGEST_INTERVAL))
        given = CYCLE_RATE / cycles
        if abs(given / rate - 1.0) > _NEAR:
            each = "a cycle" if cycles == 1 else f"every {cycles} cycles"
            self._rate(rate, f"{given:.3g} Hz (one message {each} of {1.0 / CYCLE_RATE:g} s)")
        return cycles

    def picture_rate(self) -> float:
        """Pictures a second of a camera; they keep this rate in the mean, as each lies in a cycle of its own."""
        rate = self.number("update_rate", 0.0)
        if rate <= 0.0:
            how = f"the file gives none: {CAMERA_RATE:g} Hz is used"
            self.approximated(f"update_rate of sensor '{self.name}'", how)
            return CAMERA_RATE
        given = min(max(rate, _LEAST_RATE), CYCLE_RATE)
        cycles = CYCLE_RATE / given
        if given != rate:
            self._rate(rate, f"{given:g} Hz (one picture a cycle of {1.0 / CYCLE_RATE:g} s at most)")
        elif abs(cycles - round(cycles)) > _NEAR:
            few, many = (whole / CYCLE_RATE for whole in (math.floor(cycles), math.ceil(cycles)))
            self._rate(rate, f"{rate:g} Hz in the mean (pictures come in whole cycles, after {few:g} or {many:g} s)")
        return given

    def _rate(self, rate: float, how: str) -> None:
        self.approximated(f"update_rate {rate:g} of sensor '{self.name}'", how)

    def approximated(self, what: str, how: str) -> None:
        """Note an approximation of the sensor."""
        self.report.approximated(what, how, self.file, line_of(self.element))

    def dropped(self, part: ET.Element, what: str, how: str) -> None:
        """Note a part of the sensor that is left out."""
        self.report.dropped(what, how, self.file, line_of(part))


INERTIAL = {"gyroscope": ("angular_velocity", "rate"), "accelerometer": ("linear_acceleration", "accel")}
"""Perceptors of an inertial unit, with the groups of elements that have their noise: now, and up to SDFormat 1.4."""

_BELOW_NAMES = {"laser": "scan", "range": "range", "camera": "image_raw", "force_torque": "wrench"}
"""Topics of perceptors below their names; `laser` and `range` without a name of their own have them alone."""


def topic_of(kind: str, name: str, link: str, base: str) -> str:
    """A topic of a perceptor below the robot's name, for reports: its first one, and the IMU's with the orientation.

    Args:
        kind: kind of the perceptor.
        name: name of the perceptor.
        link: link or frame that carries it.
        base: the robot's base link.
    """
    if kind in INERTIAL:
        return "imu/data" if link == base else f"imu/{link}/data"
    if kind == "magnetometer":
        return f"imu/{name}/mag"
    if kind in _BELOW_NAMES:
        topic = _BELOW_NAMES[kind]
        return topic if name == topic or (kind in ("laser", "range") and name == kind) else f"{name}/{topic}"
    return f"touch/{name}" if kind == "touch" else f"wrench/{link}"
