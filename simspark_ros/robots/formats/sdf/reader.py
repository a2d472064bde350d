"""Reads SDFormat 1.4 to 1.11."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.formats.parts.bodies import BodyJoint
from simspark_ros.robots.formats.parts.gazebo import add_drive, driven_wheels, friction, is_drive, named_plugin
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly
from simspark_ros.robots.formats.sdf.files import Files, is_static
from simspark_ros.robots.formats.sdf.joints import EFFORT, JointReader
from simspark_ros.robots.formats.sdf.scope import WORLD, Scope
from simspark_ros.robots.formats.sdf.sensors import SensorReader
from simspark_ros.robots.formats.sdf.shapes import LinkReader
from simspark_ros.robots.formats.urdf.document import line_of

_NO_COUNTERPART = ("plugin", "gripper", "audio_source", "light", "projector", "particle_emitter")


def read_sdf(path: Path, variant: int, limits: LimitSettings, meshes: MeshCollisions) -> Imported:
    """The robot of an SDF file: one of the models that move, or else of the static ones, with its nested models.

    Raises:
        RobotError: the file cannot be used.
    """
    assembly = RobotAssembly("", path)
    files = Files(path, limits, assembly.report)
    element, version = files.model(path, variant)
    robot = Scope(element, path, version)
    assembly.name = robot.values.name(element)
    robot.read_models(files, (path.resolve(),))
    scopes = list(robot.walk())
    _add_bodies(scopes, files, assembly)
    if is_static(element):
        _freeze(assembly)
    sensors = SensorReader(assembly)
    for scope in scopes:
        for tag in ("link", "joint"):
            for carrier in scope.element.findall(tag):
                for sensor in carrier.findall("sensor"):
                    sensors.add(scope, sensor, carrier)
        _add_drive(scope, assembly)
        _note_others(scope, assembly)
    wheels = driven_wheels(assembly.devices.drives)
    assembly.joints = [_with_effort(joint, wheels, assembly) for joint in assembly.joints]
    return assembly.finished(limits, meshes)


def _add_bodies(scopes: list[Scope], files: Files, assembly: RobotAssembly) -> None:
    links, joints = LinkReader(files, assembly.report), JointReader(assembly)
    for scope in scopes:
        for link in scope.element.findall("link"):
            body = assembly.add(links.body(scope, link))
            if body.mass > 0.0 and (mu := links.friction(scope, link)) is not None:
                assembly.devices.materials[body.name] = {"friction": friction(mu)}
    for scope in scopes:
        for joint in scope.element.findall("joint"):
            joints.add(scope, joint)


def _freeze(assembly: RobotAssembly) -> None:
    """Bolt a static model to the world, and let none of its joints move."""
    assembly.joints = [replace(joint, kind=JointKind.FIXED, mimic=None) for joint in assembly.joints]
    carried = {WORLD, *(joint.child for joint in assembly.joints)}
    for body in [name for name in assembly.bodies if name not in carried]:
        assembly.bolt(body)


def _with_effort(joint: BodyJoint, wheels: set[str], assembly: RobotAssembly) -> BodyJoint:
    """The joint with an effort; beside a drive of wheels, a joint without an effort or without stops has no motor."""
    is_declared = not wheels or joint.name in wheels or joint.mimic is not None
    is_known = math.isfinite(joint.effort)
    if joint.kind is JointKind.FIXED or (is_known and (is_declared or joint.kind is not JointKind.CONTINUOUS)):
        return joint
    if is_declared:
        return replace(joint, effort=EFFORT)
    assembly.report.understood(f"joint '{joint.name}'", "nothing drives it: it moves freely", assembly.file.name)
    return replace(joint, effort=0.0)


def _add_drive(scope: Scope, assembly: RobotAssembly) -> None:
    """Add the first drive of two rows of wheels."""
    for plugin in filter(is_drive, scope.element.findall("plugin")):
        what, place = named_plugin(plugin), (scope.values.file.name, line_of(plugin))
        joints = [joint.name for joint in assembly.joints if joint.kind is not JointKind.FIXED]
        try:
            torque = add_drive(plugin, joints, assembly.devices.drives, assembly.report, place[0], scope.prefix)
        except ValueError as error:
            assembly.report.dropped(what, f"it cannot be used as a drive: {error}", *place)
            continue
        if torque:
            wheels = driven_wheels(assembly.devices.drives)
            changed = [replace(joint, effort=torque) if joint.name in wheels else joint for joint in assembly.joints]
            assembly.joints = changed


def _named(element: ET.Element) -> str:
    if element.tag == "plugin":
        return named_plugin(element)
    return f"{element.tag} '{element.get('name', '')[:80]}'"


def _note_others(scope: Scope, assembly: RobotAssembly) -> None:
    """Note elements without a counterpart, anywhere in the model."""
    inner = {id(part) for model in scope.element.findall("model") for part in model.iter()}
    for part in scope.element.iter():
        if part.tag in _NO_COUNTERPART and id(part) not in inner and not (part in scope.element and is_drive(part)):
            assembly.report.dropped(_named(part), "it is not supported", scope.values.file.name, line_of(part))
