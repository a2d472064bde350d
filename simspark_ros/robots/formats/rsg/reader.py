"""Reads SimSpark's scene graphs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.foreign import check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import read_yaml
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly
from simspark_ros.robots.formats.rsg.bodies import BodyReader, is_solid
from simspark_ros.robots.formats.rsg.devices import DeviceReader, is_device
from simspark_ros.robots.formats.rsg.joints import JointReader
from simspark_ros.robots.formats.rsg.nodes import Node
from simspark_ros.robots.formats.rsg.scene import SceneBuilder

VARIABLES = "rsg_variables.yaml"
"""File, beside a scene or in a folder above it, with the variables of SimSpark's Ruby scripts, which are never run."""

_GROUPS = ("Scene", "Transform", "TransformCollider", "Space", "AgentAspect", "SingleMatNode", "BaseNode")


def read_rsg(path: Path, variant: int, limits: LimitSettings, meshes: MeshCollisions) -> Imported:
    """The robot of an RSG file; the heterogeneous type is the argument of its template, if it has one.

    Raises:
        RobotError: the file cannot be used.
    """
    builder = SceneBuilder(path, _variables(path, limits), limits)
    scene = builder.scene(path, (str(variant),))
    assembly = RobotAssembly(path.stem, path)
    bodies = BodyReader(builder, assembly)
    nodes = list(scene.walk())
    for node in nodes:
        if node.kind == "RigidBody":
            bodies.add(node)
    if not assembly.bodies:
        raise RobotError(f"{path}: the file has no RigidBody")
    joints = JointReader(bodies, assembly)
    others = _add_parts(nodes, bodies, joints, assembly)
    for kind, count in others.items():
        assembly.report.dropped(f"{count} nodes of class {kind}", "they are not supported", path.name)
    joints.connect(_base(nodes, bodies, assembly))
    imported = assembly.finished(limits, meshes)
    imported.document["variants"] = {variant: {}}
    return imported


def _add_parts(nodes: list[Node], bodies: BodyReader, joints: JointReader, assembly: RobotAssembly) -> Counter[str]:
    """Add joints, solids, devices and drag; returns how many nodes of which classes have no counterpart."""
    devices = DeviceReader(bodies, assembly)
    others: Counter[str] = Counter()
    for node in nodes:
        if node.kind.endswith("Joint"):
            joints.add(node)
        elif is_solid(node):
            bodies.add_solid(node)
        elif is_device(node):
            devices.add(node)
        elif node.kind == "DragController":
            assembly.devices.set_drag(*(_drag(node, method) for method in ("setLinearDrag", "setAngularDrag")))
        elif node.kind not in (*_GROUPS, "RigidBody") and not (node.parent and node.parent.kind.endswith("Joint")):
            others[node.kind] += 1
    return others


def _base(nodes: list[Node], bodies: BodyReader, assembly: RobotAssembly) -> str:
    """Name of the body of the AgentAspect, else of the first body."""
    for node in nodes:
        body = bodies.carrier(node) if node.kind == "AgentAspect" else None
        if body is not None:
            return body.name
    return next(iter(assembly.bodies))


def _drag(node: Node, method: str) -> float:
    (value,) = node.numbers(method, 1) or (0.0,)
    return value


def _variables(path: Path, limits: LimitSettings) -> dict[str, Any]:
    """Variables of the scripts, from the nearest file of that name; none if there is no file."""
    folder = path.resolve().parent
    found = next((one / VARIABLES for one in (folder, *folder.parents) if (one / VARIABLES).is_file()), None)
    if found is None:
        return {}
    check_file_size(found, limits)
    try:
        document = read_yaml(found)
    except UserError as error:
        raise RobotError(str(error)) from None
    if not isinstance(document, dict):
        raise RobotError(f"{found}: must map names of variables to values")
    return {str(key): value for key, value in document.items()}
