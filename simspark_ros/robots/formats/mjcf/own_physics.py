"""A robot of an MJCF file as text for MuJoCo alone, with all that no other engine knows.

Joints keep armature, damping and dry friction, solids their contact parameters, and pairs of bodies that may pass
through each other do. The text holds neither looks, sensors nor actuators, and names no other file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from simspark_ros.physics.engine import Array
from simspark_ros.robots.formats.mjcf.compiled import WORLD, Compiled

MAX_TEXT = 1_000_000
"""Longest text, characters; longer ones are left out."""


def own_physics(compiled: Compiled) -> str:
    """The text of a robot whose base is free and whose bodies have one joint each, if any; else empty."""
    if not _is_plain(compiled):
        return ""
    spec = compiled.spec.copy()
    _keep_bodies(compiled, spec)
    _keep_solids(compiled, spec)
    for group in (spec.actuators, spec.sensors, spec.cameras, spec.lights, spec.sites):
        for element in list(group):
            spec.delete(element)
    text = str(spec.to_xml())
    return text if len(text) <= MAX_TEXT else ""


def _keep_bodies(compiled: Compiled, spec: Any) -> None:
    """Keep the robot's bodies and joints alone, with their masses and names."""
    model = compiled.model
    # Numbers of elements change while others are deleted.
    numbers = [(body, body.id) for body in spec.bodies]
    for body, number in numbers[1:]:
        body.name = compiled.bodies[number]
        # Solids that are only looked at, which are left out, may have a mass.
        body.explicitinertial = True
        body.mass, body.inertia = model.body_mass[number], model.body_inertia[number]
        body.ipos, body.iquat = model.body_ipos[number], model.body_iquat[number]
        body.fullinertia = [np.nan] * 6
    for joint in spec.joints:
        joint.name = compiled.joints[joint.id]
    for body, number in numbers[1:]:
        if model.body_parentid[number] == WORLD and number != compiled.tree[0]:
            spec.delete(body)


def _keep_solids(compiled: Compiled, spec: Any) -> None:
    """Keep the robot's solids that collide; meshes hold their corners themselves."""
    model = compiled.model
    for geom, number in [(geom, geom.id) for geom in spec.geoms]:
        collides = model.geom_contype[number] or model.geom_conaffinity[number]
        if model.geom_bodyid[number] not in compiled.tree or not collides:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh, number in [(mesh, mesh.id) for mesh in spec.meshes]:
        name = mesh.name
        spec.delete(mesh)
        if name in used:
            spec.add_mesh(name=name, uservert=_corners(compiled, number).ravel())


def _is_plain(compiled: Compiled) -> bool:
    model, tree, kinds = compiled.model, compiled.tree, compiled.mujoco.mjtJoint
    joints = [model.jnt_type[model.jnt_bodyid == body].tolist() for body in tree]
    turning: tuple[list[int], ...] = [int(kinds.mjJNT_HINGE)], [int(kinds.mjJNT_SLIDE)], []
    is_free = joints[:1] == [[int(kinds.mjJNT_FREE)]]
    return is_free and all(own in turning for own in joints[1:]) and not (model.ntendon or model.neq or model.nflex)


def _corners(compiled: Compiled, mesh: int) -> Array:
    """The corners (N, 3) of a mesh's hull in the axes of the mesh's file, m: files need not be there later."""
    model = compiled.model
    first = int(model.mesh_vertadr[mesh])
    corners = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], float)
    place = compiled.pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
    hull: Array = corners[ConvexHull(corners).vertices] @ place.rotation.T + place.position
    return hull
