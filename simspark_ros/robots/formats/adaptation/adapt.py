"""Turns a maker's URDF into the plain URDF of `import_urdf`, step by step, and makes the content of a YAML file."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import as_word, unique
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import rpy_from_rotation
from simspark_ros.robots.body.size import FRAMES, links_told
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.report import ImportReport, place_of
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses
from simspark_ros.robots.formats.adaptation.devices import DeclaredDevices, read_devices
from simspark_ros.robots.formats.adaptation.inertias import Inertias
from simspark_ros.robots.formats.adaptation.joints import SPEED, adapt_joints, end_of, free_base, motorless_joints
from simspark_ros.robots.formats.adaptation.notes import Notes, text_of
from simspark_ros.robots.formats.adaptation.solids import Solids
from simspark_ros.robots.formats.adaptation.visuals import VisualSurfaces
from simspark_ros.robots.formats.urdf.bounds import MASS
from simspark_ros.robots.formats.urdf.document import line_of, parse_urdf
from simspark_ros.robots.formats.urdf.importer import WORLD

_NAMED = re.compile(r"\b(link|joint) '([^']+)'")


class Adapted(NamedTuple):
    """A document in plain URDF.

    Attributes:
        root: its tree, which names no other file.
        devices: sensors and motors that the document declares.
        driven: names of the joints that have a motor, in the document's order.
        sensed: names of all joints that move.
    """

    root: ET.Element
    devices: DeclaredDevices
    driven: tuple[str, ...]
    sensed: tuple[str, ...]

    @property
    def urdf(self) -> str:
        """The text of the tree."""
        return ET.tostring(self.root, encoding="unicode")

    def document(self, model: Path) -> dict[str, Any]:
        """The content of a YAML file for the robot: sensors and motors as declared.

        If the document declares none, the base measures its motion, and every joint has a motor.
        """
        devices = self.devices
        perceptors = list(devices.perceptors)
        if not any(one["kind"] in ("gyroscope", "accelerometer") for one in perceptors):
            perceptors = [{"kind": "gyroscope"}, {"kind": "accelerometer"}, *perceptors]
        if self.sensed:
            perceptors.append({"kind": "hinge_joint", "joints": list(self.sensed)})
        taken: set[str] = set()
        hinges = {name: unique(as_word(name), taken) for name in self.driven}
        effectors = [{"kind": "hinge", "joints": hinges}] if hinges else []
        return {
            "model": str(model),
            "frames": devices.frames,
            "materials": devices.materials,
            "touch_links": [{"link": link} for link in devices.touch_links],
            "perceptors": perceptors,
            "effectors": [*effectors, *devices.effectors],
        }


def adapt(
    text: str,
    file: Path,
    limits: LimitSettings,
    report: ImportReport,
    meshes: MeshCollisions = "hulls",
    commanded: Collection[str] = (),
) -> Adapted:
    """Make plain URDF of a document.

    Args:
        text: text of the document, xacro already processed.
        file: path of the document: relative names begin in its folder, and messages name it.
        limits: limits on meshes.
        report: report that notes are added to.
        meshes: kind of solid that meshes collide as.
        commanded: joints that a YAML file gives a motor.

    Raises:
        RobotError: the document cannot be used; the message names file, line, element and remedy.
    """
    notes = Notes(file.name, report)
    # Blanks before an XML declaration are no XML, yet many readers take them.
    root = parse_urdf(text.lstrip("\ufeff \t\r\n"), file.name)
    _turn_origins(root, notes)
    links = root.findall("link")
    _check_count(links, limits, notes)
    addresses, pictures = MeshAddresses(file), _pictures(root)
    surfaces = VisualSurfaces(notes, addresses, limits, materials=False, pictures=pictures)
    Solids(notes, addresses, limits, meshes, surfaces).adapt_all(links)
    _adapt_colours(root, notes)
    inertias = Inertias(notes, links)
    free_base(root, notes)
    needy = needy_links(root, inertias)
    for link in root.findall("link"):
        inertias.adapt(link, link.get("name", "") in needy)
        notes.understood(link, f"link '{link.get('name', '')[:80]}'")
    devices = read_devices(root, notes)
    motorless = motorless_joints(root, {*commanded, *devices.motors}, devices.watched)
    mass = sum(map(inertias.mass, root.findall("link")))
    adapt_joints(root, notes, mass, motorless)
    for other in [one for one in root if one.tag not in ("link", "joint", "material")]:
        root.remove(other)
    moving = [joint for joint in root.findall("joint") if joint.get("type") in SPEED]
    sensed = tuple(joint.get("name", "") for joint in moving)
    followers = {joint.get("name", "") for joint in moving if joint.find("mimic") is not None}
    driven = tuple(name for name in sensed if name not in followers | motorless)
    return Adapted(root, devices, driven, sensed)


def located(error: RobotError, text: str, file: Path, is_expanded: bool = False) -> RobotError:
    """The error with the line of the link or joint that it names, if the text has such an element.

    Args:
        error: error about a robot.
        text: URDF text of the robot.
        file: path of the robot's model file.
        is_expanded: whether xacro made the text of the file.
    """
    found = _NAMED.search(str(error))
    if found is None or not str(error).startswith(f"{file.name} of variant "):
        return error
    try:
        elements = parse_urdf(text, file.name).findall(found[1])
    except RobotError:
        return error
    line = next((line_of(one) for one in elements if one.get("name") == found[2]), 0)
    if not line:
        return error
    return RobotError(f"{place_of(str(file), line, is_expanded)}: {str(error).partition(': ')[2]}")


def _check_count(links: list[ET.Element], limits: LimitSettings, notes: Notes) -> None:
    """Refuse too many links before their meshes are read."""
    if len(links) > FRAMES * limits.max_links:
        raise notes.fail(links[limits.max_links], "<link>", f"the robot has {links_told(len(links), limits)}")


def _pictures(root: ET.Element) -> dict[str, str]:
    """Addresses of textures by the names of materials."""
    materials = [(one.get("name", ""), one.find("texture")) for one in root.iter("material")]
    return {name: texture.get("filename", "") for name, texture in materials if name and texture is not None}


def _turn_origins(root: ET.Element, notes: Notes) -> None:
    """Write the quaternions of URDF 1.2 as roll, pitch, yaw."""
    for origin in root.iter("origin"):
        if "quat_xyzw" not in origin.attrib:
            continue
        turn = np.array(notes.numbers(origin, "quat_xyzw", "0 0 0 1", "<origin>"))
        length = math.hypot(*turn)
        if not length > 0.0:
            raise notes.fail(origin, "<origin>", "quat_xyzw is zero, which is not an orientation")
        if "rpy" in origin.attrib:
            raise notes.fail(origin, "<origin>", "has both rpy and quat_xyzw; remove one")
        origin.set("rpy", text_of(rpy_from_rotation(rotations_from_quaternions(turn[None] / length)[0])))
        del origin.attrib["quat_xyzw"]


def _adapt_colours(root: ET.Element, notes: Notes) -> None:
    for material in root.iter("material"):
        what = f"material '{material.get('name', '')[:80]}'"
        colour, texture = material.find("color"), material.find("texture")
        if texture is not None:
            notes.dropped(texture, f"texture of {what}", "only meshes have textures")
        if colour is None:
            continue
        rgba = (colour.get("rgba") or "").split()
        if len(rgba) == 3:
            colour.set("rgba", " ".join([*rgba, "1"]))
        try:
            values = notes.numbers(colour, "rgba", "0.7 0.7 0.7 1", what)
        except RobotError as error:
            notes.dropped(colour, f"colour of {what}", str(error).rpartition(f"{what}: ")[2])
            material.remove(colour)
            continue
        if not all(0.0 <= value <= 1.0 for value in values):
            colour.set("rgba", text_of(min(max(value, 0.0), 1.0) for value in values))
            notes.approximated(colour, what, "its colour values are limited to 0 to 1")


def needy_links(root: ET.Element, inertias: Inertias) -> set[str]:
    """Links that need a mass: links that a joint moves, and the base, unless a link fixed to it has one."""
    heavy = {link.get("name", "") for link in root.findall("link") if inertias.mass(link) >= MASS.low}
    joints = root.findall("joint")
    ends = [(joint, end_of(joint, "parent"), end_of(joint, "child")) for joint in joints]
    needy = {child for joint, _, child in ends if joint.get("type") in SPEED}
    children = {child for _, _, child in ends}
    for link in root.findall("link"):
        name = link.get("name", "")
        if name not in children:
            rigid = [name]
            for one in rigid:
                rigid += [end for joint, start, end in ends if start == one and joint.get("type") == "fixed"]
                if len(rigid) > len(ends) + 1:
                    break
            if not heavy.intersection(rigid):
                # The world itself weighs nothing, unless a joint moves the robot against it.
                needy.add(rigid[1] if name == WORLD and rigid[1:] else name)
    return needy
