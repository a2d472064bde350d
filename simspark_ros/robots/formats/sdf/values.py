"""Values in the elements of an SDF file, each checked."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from transforms3d.quaternions import quat2mat

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.names import MAX_NAME, is_name
from simspark_ros.physics.geometry.transforms import Array, Transform
from simspark_ros.physics.model import Vector
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.document import line_of

_TRUE, _FALSE = ("true", "1"), ("false", "0", "")


@dataclass(frozen=True)
class Values:
    """Reads values of one file; all methods raise `RobotError` with file, line, element and reason."""

    file: Path

    def fail(self, element: ET.Element, problem: str) -> NoReturn:
        """Refuse an element."""
        name = f" {shown(element.get('name', ''))}" if element.get("name") else ""
        raise RobotError(f"{self.file}:{line_of(element)}: <{cut(element.tag, 40)}>{name}: {problem}")

    def name(self, element: ET.Element, attribute: str = "name") -> str:
        """A required name."""
        value = element.get(attribute, "")
        if not is_name(value):
            self.fail(element, f"{attribute}={shown(value)} must be 1 to {MAX_NAME} printable characters")
        return value

    def text(self, element: ET.Element | None, path: str, default: str = "") -> str:
        """The text of an element below an element."""
        return default if element is None else (element.findtext(path) or default).strip()

    def flag(self, element: ET.Element, path: str, default: bool = False) -> bool:
        """A truth value below an element."""
        found = element.find(path)
        if found is None:
            return default
        text = (found.text or "").strip().lower()
        if text not in (*_TRUE, *_FALSE):
            self.fail(found, f"{shown(text)} must be true or false")
        return text in _TRUE

    def numbers(self, element: ET.Element, text: str, count: int, infinite: bool = False) -> tuple[float, ...]:
        """The numbers in a text of an element; exactly `count`."""
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        usable = all(math.isfinite(value) or (infinite and math.isinf(value)) for value in values)
        if len(values) != count or not usable:
            wanted = "a finite number" if count == 1 else f"{count} finite numbers"
            self.fail(element, f"{shown(text)} must be {wanted}")
        return values

    def number(self, element: ET.Element | None, path: str, default: float, infinite: bool = False) -> float:
        """A number below an element; `infinite` allows infinity."""
        found = None if element is None else element.find(path)
        if found is None or not (found.text or "").strip():
            return default
        return self.numbers(found, found.text or "", 1, infinite)[0]

    def size(self, element: ET.Element, path: str, default: float) -> float:
        """A length that is positive."""
        value = self.number(element, path, default)
        if value <= 0.0:
            self.fail(element, f"<{path}> {value:g} must be greater than 0")
        return value

    def vector(self, element: ET.Element | None, path: str, default: Vector) -> Vector:
        """Three numbers below an element."""
        found = None if element is None else element.find(path)
        if found is None:
            return default
        x, y, z = self.numbers(found, found.text or "", 3)
        return (x, y, z)

    def pose(self, element: ET.Element | None) -> Transform:
        """The pose in a `<pose>`: x, y, z and roll, pitch, yaw, or a quaternion."""
        if element is None or not (element.text or "").strip():
            return Transform()
        text = element.text or ""
        if element.get("rotation_format") == "quat_xyzw":
            x, y, z, *quaternion = self.numbers(element, text, 7)
            return Transform(self._rotation(element, quaternion), Transform.of((x, y, z)).position)
        x, y, z, roll, pitch, yaw = self.numbers(element, text, 6)
        if element.get("degrees", "false").lower() in _TRUE:
            roll, pitch, yaw = map(math.radians, (roll, pitch, yaw))
        return Transform.of((x, y, z), (roll, pitch, yaw))

    def _rotation(self, element: ET.Element, quaternion: list[float]) -> Array:
        x, y, z, w = quaternion
        if math.hypot(*quaternion) < 1e-9:
            self.fail(element, "the quaternion has no length")
        return np.asarray(quat2mat((w, x, y, z)))
