"""Bodies and geoms of MJCF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from transforms3d.quaternions import quat2mat

from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.robots.formats.mjcf.compiled import WORLD, Compiled
from simspark_ros.robots.formats.parts.bodies import Body, Solid, ellipsoid
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

_SHOWN = frozenset((0, 1, 2))
"""Groups that MuJoCo's viewer shows at first; makers put what collides into the others."""


def add_bodies(compiled: Compiled, assembly: RobotAssembly) -> None:
    """Add the robot's bodies; other bodies are dropped with a note."""
    poses = {WORLD: Transform()}
    model = compiled.model
    for i in range(1, model.nbody):
        poses[i] = poses[int(model.body_parentid[i])] @ compiled.pose(model.body_pos[i], model.body_quat[i])
    kept = set(compiled.tree)
    for element in compiled.spec.bodies:
        name = compiled.bodies[element.id]
        if element.id in kept:
            assembly.add(_body(compiled, element.id, name, poses[element.id]))
            assembly.report.understood(f"body '{name}'", "", *compiled.place(element))
        elif int(model.body_parentid[element.id]) == WORLD != element.id:
            assembly.report.dropped(f"body '{name}'", "it is not part of the robot", *compiled.place(element))
    geoms = _Geoms(compiled, assembly)
    for element in compiled.spec.geoms:
        geoms.add(element)


def _body(compiled: Compiled, i: int, name: str, pose: Transform) -> Body:
    model = compiled.model
    axes = quat2mat(model.body_iquat[i])
    inertia = product(axes * model.body_inertia[i], axes.T)
    return Body(name, pose, float(model.body_mass[i]), np.array(model.body_ipos[i]), inertia)


def shown_groups(compiled: Compiled) -> frozenset[int]:
    """The groups of geoms that are seen: the groups that MuJoCo's viewer shows at first, if the robot has any there."""
    model = compiled.model
    there = {int(model.geom_group[i]) for i in range(model.ngeom) if int(model.geom_bodyid[i]) in set(compiled.tree)}
    return frozenset(there & _SHOWN or there)


class _Geoms:
    """Turns geoms into solids."""

    def __init__(self, compiled: Compiled, assembly: RobotAssembly) -> None:
        self._compiled = compiled
        self._assembly = assembly
        self._kept = set(compiled.tree)
        self._groups = shown_groups(compiled)

    def add(self, element: Any) -> None:
        """Add one geom to its body."""
        compiled, model, i = self._compiled, self._compiled.model, element.id
        body = int(model.geom_bodyid[i])
        what = f"geom '{element.name or i}'"
        if body not in self._kept:
            self._assembly.report.dropped(what, "it belongs to the world", *compiled.place(element))
            return
        solid = self._solid(i, what, compiled.place(element))
        if solid is None:
            return
        collides = bool(model.geom_contype[i] or model.geom_conaffinity[i])
        material = int(model.geom_matid[i])
        rgba = model.geom_rgba[i] if material < 0 else model.mat_rgba[material]
        red, green, blue, alpha = map(float, rgba)
        self._assembly.bodies[compiled.bodies[body]].solids.append(
            replace(
                solid,
                rgba=(red, green, blue, alpha),
                collides=collides,
                seen=int(model.geom_group[i]) in self._groups and alpha > 0.0,
                texture=compiled.pictures.get(element.material, "") if solid.file else "",
            )
        )

    def _solid(self, i: int, what: str, place: tuple[str, int]) -> Solid | None:
        model, kinds = self._compiled.model, self._compiled.mujoco.mjtGeom
        pose = self._compiled.pose(model.geom_pos[i], model.geom_quat[i])
        x, y, z = map(float, model.geom_size[i])
        kind = kinds(int(model.geom_type[i]))
        # MuJoCo has half edges and half lengths.
        if kind == kinds.mjGEOM_BOX:
            return Solid("box", (2.0 * x, 2.0 * y, 2.0 * z), pose)
        if kind == kinds.mjGEOM_SPHERE:
            return Solid("sphere", (x,), pose)
        if kind == kinds.mjGEOM_CYLINDER:
            return Solid("cylinder", (x, 2.0 * y), pose)
        if kind == kinds.mjGEOM_CAPSULE:
            return Solid("capsule", (x, 2.0 * y), pose)
        if kind == kinds.mjGEOM_ELLIPSOID:
            solid = ellipsoid((x, y, z), pose)
            self._assembly.report.approximated(what, f"the ellipsoid becomes a {solid.kind}", *place)
            return solid
        if kind == kinds.mjGEOM_MESH:
            return self._mesh(i, pose, what, place)
        self._assembly.report.dropped(what, f"a robot cannot have a {kind.name[7:].lower()}", *place)
        return None

    def _mesh(self, i: int, pose: Transform, what: str, place: tuple[str, int]) -> Solid:
        """A mesh by its file; one without a file becomes the box around it."""
        model, mesh = self._compiled.model, int(self._compiled.model.geom_dataid[i])
        file = self._compiled.meshes[mesh]
        if file.is_read_here:
            # MuJoCo has moved the mesh into the axes of its inertia.
            own = self._compiled.pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
            return Solid("mesh", file.scale, pose @ own.inverse(), file=f"file://{file.path}")
        centre, half = model.geom_aabb[i][:3], model.geom_aabb[i][3:]
        self._assembly.report.approximated(what, "a box replaces the mesh, which has no OBJ or STL file", *place)
        dx, dy, dz = (max(2.0 * float(value), 1e-3) for value in half)
        return Solid("box", (dx, dy, dz), pose @ Transform(position=np.array(centre)))
