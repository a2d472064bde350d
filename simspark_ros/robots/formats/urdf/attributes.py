"""Attributes of URDF elements as checked values."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import NamedTuple

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.names import MAX_NAME, is_name
from simspark_ros.configuration.schema import Range
from simspark_ros.physics.model import ZERO, Vector
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.bounds import ANGLE, OFFSET


class AttributeReader(NamedTuple):
    """Reads attributes of the elements of a document, whose name is `source` in error messages.

    All methods raise `RobotError` with document, element (`where`, in words) and remedy if the attribute or child is
    missing or has another form.
    """

    source: str

    def fail(self, where: str, problem: str) -> RobotError:
        """The error to raise."""
        return RobotError(f"{self.source}: {where}: {problem}")

    def text(self, element: ET.Element, attribute: str, where: str) -> str:
        """A required attribute that is not empty."""
        value = element.get(attribute, "").strip()
        if not value:
            raise self.fail(where, f"<{element.tag}> needs the attribute '{attribute}'")
        return value

    def name(self, element: ET.Element, attribute: str, where: str) -> str:
        """A required name, of a link or joint, that messages and topics can repeat."""
        value = self.text(element, attribute, where)
        if not is_name(value):
            problem = f"{attribute}={shown(value)} must be at most {MAX_NAME} printable characters"
            raise self.fail(cut(where, MAX_NAME), problem)
        return value

    def child(self, element: ET.Element, tag: str, where: str) -> ET.Element:
        """A required child element."""
        found = element.find(tag)
        if found is None:
            raise self.fail(where, f"<{element.tag}> needs a <{tag}>")
        return found

    def numbers(self, text: str, count: int, what: str, where: str) -> tuple[float, ...]:
        """Exactly `count` finite numbers, separated by blanks."""
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if len(values) != count or not all(map(math.isfinite, values)):
            wanted = "one finite number" if count == 1 else f"{count} finite numbers separated by blanks"
            raise self.fail(where, f"{what}={shown(text)} must be {wanted}")
        return values

    def within(self, value: float, bounds: Range, what: str, where: str) -> float:
        """The value, if it is within its bounds."""
        if value not in bounds:
            raise self.fail(where, f"{what}={value:g} must be {bounds}")
        return value

    def number(
        self, element: ET.Element, attribute: str, where: str, bounds: Range, default: float | None = None
    ) -> float:
        """A number within bounds; required without a default."""
        if default is not None and attribute not in element.attrib:
            return default
        value = self.numbers(self.text(element, attribute, where), 1, attribute, where)[0]
        return self.within(value, bounds, attribute, where)

    def vector(self, element: ET.Element, attribute: str, where: str, bounds: Range) -> Vector:
        """Three numbers within bounds."""
        x, y, z = self.numbers(self.text(element, attribute, where), 3, attribute, where)
        for value in (x, y, z):
            self.within(value, bounds, attribute, where)
        return (x, y, z)

    def origin(self, element: ET.Element, where: str) -> tuple[Vector, Vector]:
        """Position (m) and roll, pitch, yaw (rad) of the element's `origin`; zero where URDF leaves it out."""
        found = element.find("origin")
        if found is None:
            return ZERO, ZERO
        position, rpy = (
            self.vector(found, name, f"origin of {where}", bounds) if name in found.attrib else ZERO
            for name, bounds in (("xyz", OFFSET), ("rpy", ANGLE))
        )
        return position, rpy
