"""Links and joints of URDF as plain values, each checked on its own; `importer` joins them.

All readers raise `RobotError` for elements that cannot be used.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ZERO, Joint, JointKind, Link, Shape, ShapeKind, Vector
from simspark_ros.robots.urdf.attributes import AttributeReader
from simspark_ros.robots.urdf.bounds import COLOUR, COMPONENT, EFFORT, MASS, MOMENT, OFFSET, SIZE, STOP, VELOCITY

Colour = tuple[float, float, float, float]
Inertia = tuple[float, float, float, float, float, float]

_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_ROUND = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
_GREY: Colour = (0.7, 0.7, 0.7, 1.0)


def read_colours(root: ET.Element, reader: AttributeReader) -> dict[str, Colour]:
    """Named materials with a colour, anywhere in the document."""
    colours = {}
    for material in root.iter("material"):
        colour = material.find("color")
        if colour is not None:
            where = f"material {shown(material.get('name', ''))}"
            red, green, blue, alpha = (
                reader.within(value, COLOUR, "rgba", where)
                for value in reader.numbers(reader.text(colour, "rgba", where), 4, "rgba", where)
            )
            colours[material.get("name", "")] = (red, green, blue, alpha)
    return colours


@dataclass(frozen=True)
class LinkReader:
    """Reads `link` elements, given named materials and, by link, the kind that replaces `cylinder` in collisions."""

    read: AttributeReader
    colours: Mapping[str, Colour]
    shapes: Mapping[str, ShapeKind]

    def link(self, element: ET.Element) -> Link:
        """One link; its mass is 0 if it has no inertia of its own."""
        name = self.read.name(element, "name", "a link")
        where = f"link '{name}'"
        mass, centre, inertia = self._inertial(element.find("inertial"), where)
        visuals = tuple(self._shape(e, f"a visual of {where}") for e in element.findall("visual"))
        collisions = tuple(self._shape(e, f"a collision of {where}") for e in element.findall("collision"))
        kind = self.shapes.get(name)
        if kind is not None:
            collisions = tuple(replace(s, kind=kind) if s.kind is ShapeKind.CYLINDER else s for s in collisions)
        return Link(name, mass, inertia, centre, collisions, visuals)

    def _inertial(self, element: ET.Element | None, where: str) -> tuple[float, Vector, Inertia]:
        """Mass, centre, and inertia turned into the link's axes."""
        none = (0.0, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if element is None:
            return none
        where = f"inertial of {where}"
        given = self.read.child(element, "mass", where)
        if self.read.numbers(self.read.text(given, "value", where), 1, "value", where) == (0.0,):
            return none
        mass = self.read.number(given, "value", f"mass of {where}", MASS)
        tensor = self.read.child(element, "inertia", where)
        xx, xy, xz, yy, yz, zz = (
            self.read.number(tensor, key, where, COMPONENT, default=0.0 if key in ("ixy", "ixz", "iyz") else None)
            for key in _INERTIA
        )
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        moments = np.linalg.eigvalsh(matrix).tolist()
        if moments[0] <= 0.0:
            raise self.read.fail(where, "its <inertia> must be positive definite, as that of every solid is")
        for moment in moments:
            self.read.within(moment, MOMENT, "a principal moment of its <inertia>", where)
        position, rpy = self.read.origin(element, where)
        if rpy != ZERO:
            turn = rotation_from_rpy(rpy)
            matrix = turn @ matrix @ turn.T
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix.tolist()
        return mass, position, (xx, xy, xz, yy, yz, zz)

    def _shape(self, element: ET.Element, where: str) -> Shape:
        geometry = self.read.child(element, "geometry", where)
        solids = [child for child in geometry if isinstance(child.tag, str)]
        if len(solids) != 1:
            raise self.read.fail(where, f"<geometry> needs exactly one solid, it has {len(solids)}")
        kind, size = self._solid(solids[0], where)
        position, rpy = self.read.origin(element, where)
        material = element.find("material")
        colour = _GREY if material is None else self.colours.get(material.get("name", ""), _GREY)
        return Shape(kind, size, position, rpy, colour)

    def _solid(self, solid: ET.Element, where: str) -> tuple[ShapeKind, tuple[float, ...]]:
        if solid.tag == "box":
            return ShapeKind.BOX, self.read.vector(solid, "size", where, SIZE)
        if solid.tag in _ROUND:
            return ShapeKind(solid.tag), tuple(self.read.number(solid, key, where, SIZE) for key in _ROUND[solid.tag])
        raise self.read.fail(where, f"geometry <{cut(solid.tag, 40)}> is not supported; use box, {', '.join(_ROUND)}")


def read_joint(element: ET.Element, read: AttributeReader) -> Joint:
    """One `joint` element."""
    name = read.name(element, "name", "a joint")
    where = f"joint '{name}'"
    kind = _joint_kind(element, read, where)
    parent, child = (read.name(read.child(element, tag, where), "link", where) for tag in ("parent", "child"))
    position, rpy = read.origin(element, where)
    if kind is JointKind.FIXED:
        return Joint(name, kind, parent, child, position, rpy)
    limits = _limits(element, kind, read, where)
    return Joint(name, kind, parent, child, position, rpy, _axis(element, read, where), *limits)


def _joint_kind(element: ET.Element, read: AttributeReader, where: str) -> JointKind:
    text = read.text(element, "type", where)
    if element.find("mimic") is not None:
        raise read.fail(where, "<mimic> is not supported; give the joint its own motor or make it fixed")
    try:
        return JointKind(text)
    except ValueError:
        allowed = ", ".join(kind.value for kind in JointKind)
        raise read.fail(where, f"type {shown(text)} is not supported; use one of: {allowed}") from None


def _axis(element: ET.Element, read: AttributeReader, where: str) -> Vector:
    """Unit vector; x where URDF leaves it out."""
    found = element.find("axis")
    if found is None:
        return (1.0, 0.0, 0.0)
    x, y, z = read.vector(found, "xyz", where, OFFSET)
    length = math.hypot(x, y, z)
    if length < 1e-9:
        raise read.fail(where, "its axis has no length; give it a direction such as '0 0 1'")
    return (x / length, y / length, z / length)


def _limits(
    element: ET.Element, kind: JointKind, read: AttributeReader, where: str
) -> tuple[float, float, float, float]:
    """Stops, greatest velocity and effort; URDF lets only continuous joints leave them out, and these have no stops."""
    lower, upper = -math.inf, math.inf
    if kind is JointKind.CONTINUOUS and element.find("limit") is None:
        return lower, upper, math.inf, math.inf
    limit = read.child(element, "limit", where)
    if kind is not JointKind.CONTINUOUS:
        lower, upper = (read.number(limit, key, where, STOP, default=0.0) for key in ("lower", "upper"))
    if lower > upper:
        raise read.fail(where, f"its lower limit {lower} lies above its upper limit {upper}")
    return lower, upper, read.number(limit, "velocity", where, VELOCITY), read.number(limit, "effort", where, EFFORT)
