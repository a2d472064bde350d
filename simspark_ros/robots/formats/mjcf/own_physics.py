"""A robot of an MJCF file as text for MuJoCo alone, with all that no other engine knows.

Joints keep armature, damping and dry friction, solids their contact parameters, and pairs of bodies that may pass
through each other do. The text holds neither looks, sensors nor actuators, and names no other file.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from simspark_ros.physics.geometry.qhull import qhull
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.robots.formats.mjcf.compiled import Compiled

MAX_TEXT = 1_000_000
"""Longest text, characters; longer ones are left out."""

_LEFT_OUT = ("actuator", "sensor", "site", "camera", "light", "material", "texture", "keyframe")

_LOOKS = 99
"""Group that marks solids which collide with nothing."""


def own_physics(compiled: Compiled) -> str:
    """The text of a robot whose base is free and whose bodies have one joint each, if any; else empty.

    Names with blanks around them are none of the robot's, which the rest of the text may name.
    """
    named = (*compiled.spec.bodies, *compiled.spec.joints)
    if not _is_plain(compiled) or any(one.name != one.name.strip() for one in named):
        return ""
    spec = compiled.spec.copy()
    model = compiled.model
    for body in spec.bodies[1:]:
        body.name = compiled.bodies[body.id]
    for joint in spec.joints:
        joint.name = compiled.joints[joint.id]
    missing = {number for number, file in enumerate(compiled.meshes) if file.is_missing}
    for geom in spec.geoms:
        collides = model.geom_contype[geom.id] or model.geom_conaffinity[geom.id]
        if not collides or model.geom_dataid[geom.id] in missing:
            geom.group = _LOOKS
    # Their masses count until `_set_masses` writes them out.
    spec.compiler.inertiagrouprange = (0, _LOOKS)
    meshes = {mesh.name: mesh.id for mesh in spec.meshes}
    # To delete elements of the text is much faster than to have MuJoCo delete them.
    root = ET.fromstring(spec.to_xml())
    _leave_out(root, compiled.bodies[compiled.tree[0]])
    _set_masses(compiled, root)
    _inline_meshes(compiled, root, meshes)
    text = ET.tostring(root, "unicode")
    return text if len(text) <= MAX_TEXT else ""


def _leave_out(root: ET.Element, base: str) -> None:
    """Leave out all that is no body, joint or solid of the robot with that base."""
    for parent in list(root.iter()):
        for child in list(parent):
            looks = child.get("group") == str(_LOOKS)
            beside = parent.tag == "worldbody" and child.get("name") != base
            if child.tag in _LEFT_OUT or looks or beside:
                parent.remove(child)
    for geom in root.iter("geom"):
        geom.attrib.pop("material", None)


def _inline_meshes(compiled: Compiled, root: ET.Element, numbers: dict[str, int]) -> None:
    """Replace the files of meshes that collide by corners, and leave other meshes out."""
    used = {geom.get("mesh") for geom in root.iter("geom")}
    for assets in root.findall("asset"):
        for mesh in assets.findall("mesh"):
            name = mesh.get("name", "")
            if name in used:
                mesh.attrib.clear()
                mesh.attrib.update(name=name, vertex=_corners(compiled, numbers[name]))
            else:
                assets.remove(mesh)


def _set_masses(compiled: Compiled, root: ET.Element) -> None:
    """Give bodies the masses that MuJoCo has found: solids that are left out may have some."""
    model, numbers = compiled.model, {name: number for number, name in enumerate(compiled.bodies)}
    for body in root.iter("body"):
        number = numbers[body.get("name", "")]
        for inertial in body.findall("inertial"):
            body.remove(inertial)
        if model.body_mass[number] > 0.0:
            values = {
                "pos": model.body_ipos[number],
                "quat": model.body_iquat[number],
                "mass": model.body_mass[number : number + 1],
                "diaginertia": model.body_inertia[number],
            }
            texts = {key: " ".join(map(repr, value.tolist())) for key, value in values.items()}
            body.insert(0, ET.Element("inertial", texts))


def _is_plain(compiled: Compiled) -> bool:
    model, tree, kinds = compiled.model, compiled.tree, compiled.mujoco.mjtJoint
    joints = [model.jnt_type[model.jnt_bodyid == body].tolist() for body in tree]
    turning: tuple[list[int], ...] = [int(kinds.mjJNT_HINGE)], [int(kinds.mjJNT_SLIDE)], []
    is_free = joints[:1] == [[int(kinds.mjJNT_FREE)]]
    return is_free and all(own in turning for own in joints[1:]) and not (model.ntendon or model.neq or model.nflex)


def _corners(compiled: Compiled, mesh: int) -> str:
    """The corners of a mesh's hull in the axes of the mesh's file, m: files need not be there later."""
    file, model = compiled.meshes[mesh], compiled.model
    if file.path is not None:
        # The compiled model need not have read it.
        spec = compiled.mujoco.MjSpec()
        spec.add_mesh(name="mesh", file=str(file.path), scale=file.scale)
        spec.worldbody.add_geom(type=compiled.mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh")
        model, mesh = spec.compile(), 0
    first = int(model.mesh_vertadr[mesh])
    corners = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], float)
    place = compiled.pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
    hull = product(corners[qhull().ConvexHull(corners).vertices], place.rotation.T) + place.position
    return " ".join(f"{number:.9g}" for number in hull.ravel().tolist())
