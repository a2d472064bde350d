"""The home pose of a URDF robot, from the group states of its SRDF file (MoveIt's semantic description)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree as ET

from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.xml_text import read_xml
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses, home_of
from simspark_ros.robots.formats.urdf.document import parse_xml
from simspark_ros.robots.formats.urdf.importer import joints_of
from simspark_ros.robots.formats.xacro.file import process_xacro

_ENDINGS = (".srdf", ".srdf.xacro")


def home_of_states(model: Path, robot: ET.Element, limits: LimitSettings, report: ImportReport) -> dict[str, float]:
    """Joint -> position in the home pose, rad or m, within its stops; empty without an SRDF file, or a state in it.

    Groups have states of their own: all that have the name of the home pose count. A broken file is noted and left out.

    Args:
        model: URDF or xacro file of the robot.
        robot: its tree, plain.
        limits: limits on the file.
        report: report that notes are added to.
    """
    file = next((one for one in _places(model, robot) if note_file(one) is not None and one.is_file()), None)
    if file is None:
        return {}
    try:
        is_xacro = file.suffix == ".xacro"
        root = parse_xml(process_xacro(file, 0), str(file)) if is_xacro else read_xml(file, limits)
        states = root.findall("group_state")
        chosen = home_among(state.get("name", "") for state in states)
        found = dict(_positions([state for state in states if state.get("name", "") == chosen]))
    except (RobotError, UserError) as error:
        report.dropped("the group states", str(error), file.name)
        return {}
    if chosen is not None:
        report.understood(f"group state {shown(chosen)}", "the robot starts in it", file.name)
    return {
        joint.name: min(max(found[joint.name], joint.lower), joint.upper)
        for joint in joints_of(robot)
        if joint.kind is not JointKind.FIXED and found.get(joint.name)
    }


def _places(model: Path, robot: ET.Element) -> Iterator[Path]:
    """Where the robot's SRDF file may be: beside its URDF, and where MoveIt's assistant puts it."""
    addresses = MeshAddresses(model)
    for name in dict.fromkeys((model.name.partition(".")[0], robot.get("name", ""))):
        if not name or "/" in name or "\0" in name:
            continue
        folders = [model.parent, model.parent / "config", home_of(model) / "config"]
        with suppress(RobotError):
            folders.append(addresses.package(f"{name}_moveit_config") / "config")
        for folder in dict.fromkeys(folders):
            yield from (folder / f"{name}{ending}" for ending in _ENDINGS)


def _positions(states: list[ET.Element]) -> Iterator[tuple[str, float]]:
    """Joints with one finite number, in order; joints with several degrees of freedom are left out."""
    for joint in (joint for state in states for joint in state.iter("joint")):
        try:
            value = float(joint.get("value", ""))
        except ValueError:
            continue
        if math.isfinite(value):
            yield joint.get("name", ""), value


NAMES = ("home", "stand")
"""Usual names of that pose, the first one first."""


def home_among(names: Iterable[str]) -> str | None:
    """The name of the pose in which a robot starts: a usual one, else the first; None if there are no poses."""
    given = list(names)
    return next((name for name in (*NAMES, *given) if name in given), None)
