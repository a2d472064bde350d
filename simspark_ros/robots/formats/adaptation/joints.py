"""Adapts joints: unsupported kinds, and stops, speeds and efforts that are missing or out of bounds."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection, Sequence

from simspark_ros.robots.formats.adaptation.notes import Notes, clamped
from simspark_ros.robots.formats.urdf.bounds import EFFORT, STOP, VELOCITY
from simspark_ros.robots.formats.urdf.importer import WORLD

SPEED = {"revolute": 10.0, "continuous": 10.0, "prismatic": 1.0}
"""Greatest speed of joints without one in the file, rad/s or m/s."""

ARM = 1.0
"""Length of the arm, m, on which joints without an effort in the file bear the robot's weight."""


def adapt_joints(root: ET.Element, notes: Notes, mass: float, motorless: Collection[str]) -> None:
    """Change the joints of a document to joints that `import_urdf` takes; errors are `RobotError`s.

    Args:
        root: root of the document.
        notes: notes on the document.
        mass: mass of the robot, kg.
        motorless: names of the joints without a motor, as `motorless_joints` finds them.
    """
    for joint in root.findall("joint"):
        what = f"joint '{joint.get('name', '')[:80]}'"
        kind = joint.get("type", "")
        if kind in ("floating", "planar"):
            problem = f"type '{kind}' has several degrees of freedom; use several joints with one degree each"
            raise notes.fail(joint, what, problem)
        if kind in SPEED:
            is_free = joint.get("name") in motorless
            _stops(joint, kind, notes, what)
            _powers(joint, kind, notes, what, mass, is_free)
            _told(joint, kind, notes, what, is_free)


def motorless_joints(root: ET.Element, declared: Collection[str], watched: Collection[str]) -> set[str]:
    """Names of the joints that nothing drives: casters, rollers, pendulums, joints with a state interface only.

    Many files declare motors of one part alone, an arm on a robot with legs. A joint with stops and an effort therefore
    has a motor; casters and rollers have no stops, whatever effort their file gives.

    Args:
        root: root of the document, with the joints as in the file.
        declared: joints for which the file, or the YAML file around it, declares a motor.
        watched: joints that the file says to be measured only.
    """
    joints = [joint for joint in root.findall("joint") if joint.get("type") in SPEED and joint.find("mimic") is None]
    powers = {joint.get("name", ""): _given_effort(joint) for joint in joints}
    endless = {joint.get("name", "") for joint in joints if joint.get("type") == "continuous"}
    declared = powers.keys() & declared
    # Exporters write 0 into all joints when they know nothing.
    is_known = any(powers.values())
    return {
        name
        for name, power in powers.items()
        if name not in declared
        and (name in watched or (declared and (not power or name in endless)) or (is_known and power == 0.0))
    }


def _given_effort(joint: ET.Element) -> float | None:
    """The effort of a joint in the file; None if it gives none, or nonsense, which is refused later."""
    limit = joint.find("limit")
    try:
        return None if limit is None else float(limit.get("effort", ""))
    except ValueError:
        return None


def free_base(root: ET.Element, notes: Notes) -> None:
    """Remove an empty link above the base, and the joint that lets the base move against it; note what is bolted."""
    links = {link.get("name"): link for link in root.findall("link")}
    joints = root.findall("joint")
    children = {end_of(joint, "child") for joint in joints}
    for joint in joints:
        parent, what = end_of(joint, "parent"), f"joint '{joint.get('name', '')[:80]}'"
        # URDF cannot say that a base is free. Makers put an empty link above it, tied by a joint that lets it move.
        alone = parent in links and not len(links[parent]) and parent not in children
        if parent == WORLD and parent not in children and joint.get("type") == "fixed":
            notes.understood(joint, what, "its child is bolted to the world")
        elif alone and sum(end_of(other, "parent") == parent for other in joints) == 1:
            if joint.get("type") == "floating":
                notes.understood(joint, what, "its child is the robot's base, which moves freely")
            elif joint.get("type") == "planar":
                notes.approximated(joint, what, "the base moves freely in space, not only in the plane")
            else:
                continue
            root.remove(joint)
            root.remove(links[parent])


def end_of(joint: ET.Element, tag: str) -> str:
    """The link at an end of a joint, `parent` or `child`; empty if the joint names none."""
    element = joint.find(tag)
    return "" if element is None else element.get("link", "")


def _stops(joint: ET.Element, kind: str, notes: Notes, what: str) -> None:
    limit = joint.find("limit")
    given: Sequence[float] = ()
    if limit is not None and ("lower" in limit.attrib or "upper" in limit.attrib):
        lower, upper = (notes.numbers(limit, key, "0", what)[0] for key in ("lower", "upper"))
        if lower <= upper:
            given = lower, upper
    if kind == "continuous":
        return
    if given:
        lower, upper = (clamped(value, STOP) for value in given)
    elif kind == "revolute":
        joint.set("type", "continuous")
        notes.approximated(joint, what, "it has no limits, or its lower limit is the higher one: it turns endlessly")
        return
    else:
        lower, upper = -ARM, ARM
        notes.approximated(joint, what, f"it has no limits: it slides by {ARM:g} m to each side")
    limit = ET.SubElement(joint, "limit") if limit is None else limit
    limit.set("lower", repr(lower))
    limit.set("upper", repr(upper))


def _powers(joint: ET.Element, kind: str, notes: Notes, what: str, mass: float, is_free: bool) -> None:
    """Adapt greatest speed and effort; in many files 0 stands for none, but would lock the joint."""
    limit = joint.find("limit")
    if limit is None:
        limit = ET.SubElement(joint, "limit")
    weight = max(mass, 0.1) * 9.81
    for key, bounds, invented in (
        ("velocity", VELOCITY, SPEED[joint.get("type", kind)]),
        ("effort", EFFORT, weight * ARM if kind != "prismatic" else 2.0 * weight),
    ):
        value = notes.numbers(limit, key, "0", what)[0]
        if value < 0.0:
            raise notes.fail(limit, what, f"its {key} {value:g} is negative")
        if is_free:
            limit.set(key, "0.0" if key == "effort" else repr(clamped(value or invented, bounds)))
            continue
        if value == 0.0:
            notes.approximated(limit, what, f"the file gives no {key}: {invented:.4g} is used")
        limit.set(key, repr(clamped(value or invented, bounds)))


def _told(joint: ET.Element, kind: str, notes: Notes, what: str, is_free: bool) -> None:
    mimic, dynamics = joint.find("mimic"), joint.find("dynamics")
    told = [kind, *(["nothing drives it: it moves freely"] if is_free else [])]
    if mimic is not None:
        told.append(f"follows joint '{mimic.get('joint', '')[:80]}'")
    if dynamics is not None:
        for key in ("damping", "friction"):
            value = notes.numbers(dynamics, key, "0", what)[0]
            if value < 0.0:
                dynamics.set(key, "0")
                notes.approximated(dynamics, what, f"its {key} is negative: 0 is used")
        told.append("with damping and friction")
    notes.understood(joint, what, ", ".join(told))
    for tag in ("safety_controller", "calibration"):
        for found in joint.findall(tag):
            notes.dropped(found, f"<{tag}> of {what}", "the simulator has no controllers; bring your own")
