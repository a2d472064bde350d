"""Reads SDFormat 1.4 to 1.11."""

from __future__ import annotations

from pathlib import Path

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.formats import check_variant
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.robot_file import MeshCollisions
from simspark_ros.robots.parts.assembly import Assembly
from simspark_ros.robots.sdf.files import Files
from simspark_ros.robots.sdf.joints import JointReader
from simspark_ros.robots.sdf.scope import Scope
from simspark_ros.robots.sdf.sensors import SensorReader
from simspark_ros.robots.sdf.shapes import LinkReader
from simspark_ros.robots.urdf.document import line_of

_NO_COUNTERPART = ("plugin", "gripper", "audio_source", "light", "projector", "particle_emitter")


def read_sdf(path: Path, variant: int, limits: LimitSettings, meshes: MeshCollisions) -> Imported:
    """The robot of an SDF file: the first model that is not static, with those in it.

    Raises:
        RobotError: it cannot be used.
    """
    check_variant(path, variant)
    assembly = Assembly("", path)
    files = Files(path, limits, assembly.report)
    element, version = files.model(path)
    robot = Scope(element, path, version)
    assembly.name = robot.values.name(element)
    robot.read_models(files, (path.resolve(),))
    scopes = list(robot.walk())
    links, joints, sensors = LinkReader(files, assembly.report), JointReader(assembly), SensorReader(assembly)
    for scope in scopes:
        for link in scope.element.findall("link"):
            assembly.add(links.body(scope, link))
    for scope in scopes:
        for joint in scope.element.findall("joint"):
            joints.add(scope, joint)
    for scope in scopes:
        for tag in ("link", "joint"):
            for carrier in scope.element.findall(tag):
                for sensor in carrier.findall("sensor"):
                    sensors.add(scope, sensor, carrier)
        _note_others(scope, assembly)
    return assembly.finished(limits, meshes)


def _note_others(scope: Scope, assembly: Assembly) -> None:
    """Say what has no counterpart, wherever it stands in the model."""
    inner = {id(part) for model in scope.element.findall("model") for part in model.iter()}
    for part in scope.element.iter():
        if part.tag in _NO_COUNTERPART and id(part) not in inner:
            what = f"{part.tag} '{part.get('name', '')[:80]}'"
            assembly.report.dropped(what, "it has no counterpart", scope.values.file.name, line_of(part))
