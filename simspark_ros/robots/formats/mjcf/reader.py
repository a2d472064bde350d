"""Reads MJCF by MuJoCo's own compiler, which resolves defaults, includes, frames, units and inertias."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.formats import check_variant
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.formats.mjcf.bodies import add_bodies
from simspark_ros.robots.formats.mjcf.compiled import Compiled, MeshFile
from simspark_ros.robots.formats.mjcf.joints import add_couplings, add_joints, home_key, home_positions
from simspark_ros.robots.formats.mjcf.motors import add_motors
from simspark_ros.robots.formats.mjcf.own_physics import own_physics
from simspark_ros.robots.formats.mjcf.sensors import add_sensors
from simspark_ros.robots.formats.mjcf.sources import check_sources
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

_NO_MUJOCO = "MJCF files need MuJoCo, which is not installed: pip install 'simspark_ros[mujoco]'"


def read_mjcf(path: Path, variant: int, limits: LimitSettings, meshes: MeshCollisions) -> Imported:
    """The robot of an MJCF file: the tree of bodies with the most joints.

    Raises:
        RobotError: the file cannot be used, or MuJoCo is missing.
    """
    check_variant(path, variant)
    files = check_sources(path, limits)
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise RobotError(f"{path}: {_NO_MUJOCO}") from None
    warnings: list[str] = []
    compiled = _compiled(mujoco, path, warnings.append, many=len(files) > 1)
    assembly = RobotAssembly(compiled.model_name, path)
    for warning in warnings:
        assembly.report.approximated("the file", f"MuJoCo warns: {cut(warning, 200)}", path.name)
    add_bodies(compiled, assembly)
    add_joints(compiled, assembly, add_motors(compiled, assembly.report))
    add_couplings(compiled, assembly)
    assembly.devices.home = home_positions(compiled, assembly)
    add_sensors(compiled, assembly)
    assembly.devices.set_drag(*compiled.drag)
    return assembly.finished(limits, meshes)._replace(mjcf=own_physics(compiled))


def _compiled(mujoco: Any, path: Path, warn: Callable[[str], None], many: bool) -> Compiled:
    """The file compiled by MuJoCo; pictures on surfaces are left out."""
    # Without this function MuJoCo writes warnings to a file; an engine of the same process has another one.
    before = mujoco.get_mju_user_warning()
    meshes: tuple[MeshFile, ...] = ()
    mujoco.set_mju_user_warning(warn)
    try:
        spec = mujoco.MjSpec.from_file(str(path.resolve()))
        meshes, pictures = take_meshes(mujoco, spec), pictures_of(spec)
        for material in spec.materials:
            material.textures = [""] * len(material.textures)
        home = home_key(spec)
        for part in (*spec.textures, *spec.keys, *spec.skins):
            spec.delete(part)
        model = spec.compile()
    # mujoco.FatalError is no ValueError.
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        reason = cut(" ".join(str(error).split()), 300)
        gone = ", ".join(file.path.name for file in meshes if file.path and file.is_missing)
        note = f" (missing meshes have no mass: {cut(gone, 200)})" if gone else ""
        raise RobotError(f"{path}: MuJoCo refuses the file: {reason}{note}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    return Compiled(mujoco, spec, model, "" if many else path.name, meshes, pictures, home)


_CORNERS = (0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01)
_TRIANGLES = (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
"""A small solid, m."""


def take_meshes(mujoco: Any, spec: Any) -> tuple[MeshFile, ...]:
    """The files of all meshes, by id. A small solid stands for each that MuJoCo needs for nothing.

    MuJoCo reads large meshes in a second and hundreds of megabytes. It needs them for masses of bodies without any,
    and for primitive solids that are fitted to a mesh. The solid has its place as the mesh would. It has no mass if the
    file is missing, and no primitive solid is fitted to it.
    """
    from_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    needed = {
        geom.meshname
        for body in spec.bodies
        for geom in body.geoms
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH or from_geoms or not (body.explicitinertial or body.id == 0)
    }
    files, missing = list[MeshFile](), set[str]()
    for mesh in spec.meshes:
        scale = tuple(map(float, mesh.scale))
        folder = mesh.meshdir if hasattr(mesh, "meshdir") else spec.meshdir
        path = Path(spec.modelfiledir, folder, mesh.file).resolve() if mesh.file else None
        files.append(MeshFile(path, (scale[0], scale[1], scale[2])))
        name = mesh.name or Path(mesh.file).stem
        if files[-1].is_missing:
            missing.add(name)
        if name in missing or (files[-1].is_read_here and name not in needed):
            mesh.name, mesh.file, mesh.scale = name, "", (1.0, 1.0, 1.0)
            mesh.uservert, mesh.userface = _CORNERS, _TRIANGLES
    for geom in spec.geoms:
        if geom.meshname in missing:
            geom.type, geom.mass = mujoco.mjtGeom.mjGEOM_MESH, 0.0
    return tuple(files)


def pictures_of(spec: Any) -> dict[str, str]:
    """Addresses of the pictures of materials, by the materials' names."""
    folder = Path(spec.modelfiledir, spec.texturedir)
    files = {texture.name: f"file://{(folder / texture.file).resolve()}" for texture in spec.textures if texture.file}
    return {part.name: files[name] for part in spec.materials for name in part.textures if name in files}
