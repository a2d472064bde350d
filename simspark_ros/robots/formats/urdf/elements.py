"""Links and joints of URDF as plain values, each checked on its own; `importer` joins them.

All readers raise `RobotError` for elements that cannot be used.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.physics.geometry.hulls import HullError, hull_shape
from simspark_ros.physics.geometry.solving import principal
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.model import ZERO, Joint, JointKind, Link, Mimic, Shape, ShapeKind, Vector
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.formats.urdf.attributes import AttributeReader
from simspark_ros.robots.formats.urdf.bounds import (
    COLOUR,
    COMPONENT,
    DAMPING,
    EFFORT,
    MASS,
    MOMENT,
    MULTIPLIER,
    OFFSET,
    SIZE,
    STOP,
    VELOCITY,
)

Colour = tuple[float, float, float, float]
Inertia = tuple[float, float, float, float, float, float]

_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_ROUND = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
_GREY: Colour = (0.7, 0.7, 0.7, 1.0)
_SURFACE = "geometry/surface"

MOST_POINTS = 256
"""Most points of a hull."""


def read_colours(root: ET.Element, reader: AttributeReader) -> dict[str, Colour]:
    """Named materials with a colour, anywhere in the document."""
    colours = {}
    for material in root.iter("material"):
        name = material.get("name", "")
        colour = read_colour(material, reader, f"material {shown(name)}")
        # A material without a name is nobody else's.
        if name and colour is not None:
            colours[name] = colour
    return colours


def read_colour(material: ET.Element, reader: AttributeReader, where: str) -> Colour | None:
    """The colour in a material element itself, if any."""
    colour = material.find("color")
    if colour is None:
        return None
    red, green, blue, alpha = (
        reader.within(value, COLOUR, "rgba", where)
        for value in reader.numbers(reader.text(colour, "rgba", where), 4, "rgba", where)
    )
    return red, green, blue, alpha


class LinkReader(NamedTuple):
    """Reads `link` elements, given named materials and, by link, the kind that replaces `cylinder` in collisions."""

    read: AttributeReader
    colours: Mapping[str, Colour]
    shapes: Mapping[str, ShapeKind]

    def link(self, element: ET.Element) -> Link:
        """One link; its mass is 0 if it has no `<inertial>`."""
        name = self.read.name(element, "name", "a link")
        where = f"link '{name}'"
        mass, centre, inertia = self._inertial(element.find("inertial"), where)
        collisions = tuple(self._shape(e, f"a collision of {where}") for e in element.findall("collision"))
        seen = element.findall("visual")
        surfaces = tuple(self._surface(e, f"a visual of {where}") for e in seen if e.find(_SURFACE) is not None)
        visuals = tuple(self._shape(e, f"a visual of {where}") for e in seen if e.find(_SURFACE) is None)
        kind = self.shapes.get(name)
        if kind is not None:
            collisions = tuple(replace(s, kind=kind) if s.kind is ShapeKind.CYLINDER else s for s in collisions)
        return Link(name, mass, inertia, centre, collisions, visuals, surfaces)

    def check_visual(self, element: ET.Element, where: str) -> None:
        """Raise `RobotError` if a visual cannot be read, but for a mesh in it."""
        self.read.origin(element, where)
        for solid in element.iterfind("geometry/*"):
            if solid.tag == "box" or solid.tag in _ROUND:
                self._solid(solid, where)

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
        moments = principal(matrix)[0].tolist()
        if moments[0] <= 0.0:
            raise self.read.fail(where, "its <inertia> must be positive definite, as that of every solid is")
        for moment in moments:
            self.read.within(moment, MOMENT, "a principal moment of its <inertia>", where)
        position, rpy = self.read.origin(element, where)
        if rpy != ZERO:
            turn = rotation_from_rpy(rpy)
            matrix = product(product(turn, matrix), turn.T)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix.tolist()
        return mass, position, (xx, xy, xz, yy, yz, zz)

    def _shape(self, element: ET.Element, where: str) -> Shape:
        geometry = self.read.child(element, "geometry", where)
        solids = [child for child in geometry if isinstance(child.tag, str)]
        if len(solids) != 1:
            raise self.read.fail(where, f"<geometry> needs exactly one solid, it has {len(solids)}")
        position, rpy = self.read.origin(element, where)
        colour = self._colour(element.find("material"), where)
        if solids[0].tag == "hull":
            return self._hull(solids[0], position, rpy, colour, where)
        kind, size = self._solid(solids[0], where)
        return Shape(kind, size, position, rpy, colour)

    def _surface(self, element: ET.Element, where: str) -> Surface:
        """A surface, which URDF does not know: the adaptation of makers' meshes writes it."""
        solid = self.read.child(self.read.child(element, "geometry", where), "surface", where)
        points, triangles = (self.read.text(solid, key, where) for key in ("points", "triangles"))
        position, rpy = self.read.origin(element, where)
        try:
            surface = Surface(points, triangles, self._colour(element.find("material"), where))
            surface = surface.moved(np.array(position), rotation_from_rpy(rpy))
        except ValueError as error:
            raise self.read.fail(where, str(error)) from None
        for value in (float(surface.arrays[0].min()), float(surface.arrays[0].max())):
            self.read.within(value, OFFSET, "a coordinate of a <surface>", where)
        return surface

    def _colour(self, material: ET.Element | None, where: str) -> Colour:
        """Colour of a material: its own, or the colour of the named material."""
        if material is None:
            return _GREY
        own = read_colour(material, self.read, where)
        return self.colours.get(material.get("name", ""), _GREY) if own is None else own

    def _hull(self, hull: ET.Element, position: Vector, rpy: Vector, colour: Colour, where: str) -> Shape:
        numbers = self.read.text(hull, "points", where)
        count = len(numbers.split())
        if count > 3 * MOST_POINTS:
            raise self.read.fail(where, f"a <hull> may have at most {MOST_POINTS} points")
        points = np.array(self.read.numbers(numbers, count - count % 3, "points", where)).reshape(-1, 3)
        for value in (np.abs(points).max(initial=0.0), -np.abs(points).max(initial=0.0)):
            self.read.within(float(value), OFFSET, "a coordinate of a <hull>", where)
        try:
            shape = hull_shape(points, position, rpy, colour)
        except HullError as error:
            raise self.read.fail(where, str(error)) from None
        for edge in shape.size:
            self.read.within(edge, SIZE, "an edge of the box around a <hull>", where)
        return shape

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
    axis, mimic = _axis(element, read, where), _mimic(element, read, where)
    return Joint(name, kind, parent, child, position, rpy, axis, *limits, *_dynamics(element, read, where), mimic)


def _joint_kind(element: ET.Element, read: AttributeReader, where: str) -> JointKind:
    text = read.text(element, "type", where)
    try:
        return JointKind(text)
    except ValueError:
        allowed = ", ".join(kind.value for kind in JointKind)
        raise read.fail(where, f"type {shown(text)} is not supported; use one of: {allowed}") from None


def _mimic(element: ET.Element, read: AttributeReader, where: str) -> Mimic | None:
    found = element.find("mimic")
    if found is None:
        return None
    leader, multiplier = read.name(found, "joint", where), read.number(found, "multiplier", where, MULTIPLIER, 1.0)
    return Mimic(leader, multiplier, read.number(found, "offset", where, STOP, 0.0))


def _dynamics(element: ET.Element, read: AttributeReader, where: str) -> tuple[float, float]:
    """Damping and friction."""
    found = element.find("dynamics")
    if found is None:
        return 0.0, 0.0
    return read.number(found, "damping", where, DAMPING, 0.0), read.number(found, "friction", where, EFFORT, 0.0)


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
