"""Capsules in the solids that every reader of URDF knows: many, urdfdom 3 among them, refuse `<capsule>`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from copy import deepcopy

from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.formats.urdf.attributes import AttributeReader
from simspark_ros.robots.formats.urdf.bounds import SIZE
from simspark_ros.robots.formats.urdf.document import parse_urdf


def without_capsules(document: str) -> str:
    """A URDF document with a cylinder and two spheres for each capsule, otherwise the same text.

    Raises:
        RobotError: the document is no URDF, or a capsule has no size.
    """
    if "<capsule" not in document:
        return document
    root, read = parse_urdf(document, "URDF"), AttributeReader("URDF")
    for link in root.iter("link"):
        for part in [*link.findall("collision"), *link.findall("visual")]:
            if (capsule := part.find("geometry/capsule")) is not None:
                capsule.tag = "cylinder"
                half = read.number(capsule, "length", "capsule", SIZE) / 2.0
                link.extend([_end(part, half, read), _end(part, -half, read)])
    return ET.tostring(root, encoding="unicode")


def _end(part: ET.Element, z: float, read: AttributeReader) -> ET.Element:
    """The sphere at an end of the cylinder of a collision or visual, m along its axis."""
    end = deepcopy(part)
    end.attrib.pop("name", None)
    (geometry,) = end.findall("geometry")
    radius = geometry[0].get("radius", "")
    geometry.clear()
    ET.SubElement(geometry, "sphere", radius=radius)
    position, rpy = read.origin(part, part.tag)
    centre = position + rotation_from_rpy(rpy)[:, 2] * z
    for origin in end.findall("origin"):
        end.remove(origin)
    ET.SubElement(end, "origin", xyz=" ".join(map(repr, centre.tolist())), rpy="0 0 0")
    return end
