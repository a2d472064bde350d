"""Meshes and pictures of MJCF, which MuJoCo's compiler need not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simspark_ros.robots.formats.mjcf.compiled import MeshFile

_CORNERS = (0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01)
_TRIANGLES = (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
"""A small solid, m."""


def take_meshes(mujoco: Any, spec: Any) -> tuple[MeshFile, ...]:
    """The files of all meshes, by id. A small solid stands for each that MuJoCo needs for nothing.

    MuJoCo reads large meshes in a second and hundreds of megabytes. It needs them for masses of bodies without any,
    and for primitive solids that are fitted to a mesh. The solid has its place as the mesh would.
    """
    from_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    needed = {
        geom.meshname
        for body in spec.bodies
        for geom in body.geoms
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH or from_geoms or not (body.explicitinertial or body.id == 0)
    }
    files = []
    for mesh in spec.meshes:
        scale = tuple(map(float, mesh.scale))
        folder = mesh.meshdir if hasattr(mesh, "meshdir") else spec.meshdir
        path = Path(spec.modelfiledir, folder, mesh.file).resolve() if mesh.file else None
        files.append(MeshFile(path, (scale[0], scale[1], scale[2])))
        name = mesh.name or Path(mesh.file).stem
        if path is not None and path.suffix.lower() in (".stl", ".obj") and name not in needed:
            mesh.name, mesh.file, mesh.scale = name, "", (1.0, 1.0, 1.0)
            mesh.uservert, mesh.userface = _CORNERS, _TRIANGLES
    return tuple(files)


def pictures_of(spec: Any) -> dict[str, str]:
    """Addresses of the pictures of materials, by the materials' names."""
    files = {texture.name: texture for texture in spec.textures if texture.file}
    pictures = {}
    for material in spec.materials:
        for name in material.textures:
            if name in files:
                path = Path(spec.modelfiledir, spec.texturedir, files[name].file)
                pictures[material.name] = f"file://{path.resolve()}"
    return pictures
