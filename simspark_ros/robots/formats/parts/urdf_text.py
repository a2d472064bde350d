"""Bodies and joints as the text of a URDF document."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.formats.parts.bodies import Body, BodyJoint, Solid
from simspark_ros.robots.formats.urdf.bounds import DAMPING, EFFORT, STOP, VELOCITY

_ROUND = ("radius", "length")


def urdf_text(name: str, bodies: Sequence[Body], joints: Sequence[BodyJoint]) -> str:
    """The document of a tree of bodies; the frame of a link is the frame of the joint that carries it, as in URDF."""
    robot = ET.Element("robot", name=name)
    frames = {body.name: body.pose for body in bodies} | {joint.child: joint.pose for joint in joints}
    for body in bodies:
        _link(robot, body, frames[body.name].inverse() @ body.pose)
    for joint in joints:
        _joint(robot, joint, frames[joint.parent].inverse() @ joint.pose)
    ET.indent(robot)
    return ET.tostring(robot, encoding="unicode") + "\n"


def _link(robot: ET.Element, body: Body, moved: Transform) -> None:
    link = ET.SubElement(robot, "link", name=body.name)
    if body.mass > 0.0:
        inertial = ET.SubElement(link, "inertial")
        _origin(inertial, Transform(moved.rotation, moved.apply(body.centre)))
        ET.SubElement(inertial, "mass", value=_number(body.mass))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
        parts = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        ET.SubElement(inertial, "inertia", {key: _number(value) for key, value in parts.items()})
    is_bare = body.lost_looks and not any(solid.seen for solid in body.solids)
    for number, solid in enumerate(body.solids):
        if solid.collides:
            _solid(ET.SubElement(link, "collision"), solid, moved)
        if solid.seen or (is_bare and solid.collides):
            visual = ET.SubElement(link, "visual")
            _solid(visual, solid, moved)
            _material(visual, solid, f"{body.name}_{number}")


def _material(visual: ET.Element, solid: Solid, name: str) -> None:
    """Write colour and picture, if the solid has any."""
    if solid.rgba is None and not solid.texture:
        return
    material = ET.SubElement(visual, "material", name=name)
    if solid.rgba is not None:
        ET.SubElement(material, "color", rgba=_numbers(min(1.0, max(0.0, part)) for part in solid.rgba))
    if solid.texture:
        ET.SubElement(material, "texture", filename=solid.texture)


def _solid(parent: ET.Element, solid: Solid, moved: Transform) -> None:
    _origin(parent, moved @ solid.pose)
    geometry = ET.SubElement(parent, "geometry")
    if solid.kind == "mesh":
        ET.SubElement(geometry, "mesh", filename=solid.file, scale=_numbers(solid.size))
    elif solid.kind == "box":
        ET.SubElement(geometry, "box", size=_numbers(solid.size))
    else:
        ET.SubElement(geometry, solid.kind, dict(zip(_ROUND, map(_number, solid.size), strict=False)))


def _joint(robot: ET.Element, joint: BodyJoint, place: Transform) -> None:
    element = ET.SubElement(robot, "joint", name=joint.name, type=joint.kind.value)
    _origin(element, place)
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    if joint.kind is JointKind.FIXED:
        return
    ET.SubElement(element, "axis", xyz=_numbers(joint.axis))
    limit = {"velocity": min(joint.velocity, VELOCITY.high), "effort": min(joint.effort, EFFORT.high)}
    if joint.kind is not JointKind.CONTINUOUS:
        limit |= {"lower": max(joint.lower, STOP.low), "upper": min(joint.upper, STOP.high)}
    ET.SubElement(element, "limit", {key: _number(value) for key, value in limit.items()})
    if joint.damping or joint.friction:
        ET.SubElement(
            element,
            "dynamics",
            damping=_number(min(joint.damping, DAMPING.high)),
            friction=_number(min(joint.friction, EFFORT.high)),
        )
    if joint.mimic is not None:
        factors = {"multiplier": _number(joint.mimic.multiplier), "offset": _number(joint.mimic.offset)}
        ET.SubElement(element, "mimic", {"joint": joint.mimic.joint, **factors})


def _origin(parent: ET.Element, pose: Transform) -> None:
    ET.SubElement(parent, "origin", xyz=_numbers(pose.vector()), rpy=_numbers(pose.rpy()))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    """A number as text, with rounding errors of zero removed."""
    value = float(value)
    return repr(0.0 if math.isfinite(value) and abs(value) < 1e-12 else value)
