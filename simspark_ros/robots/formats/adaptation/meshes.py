"""Files of meshes, read by trimesh: their points and triangles, checked."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import kept_until_edited, note_file
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.description import RobotError

FORMATS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply")

_UNIT = re.compile(rb"""<unit\b[^>]{0,200}\bmeter\s*=\s*["']([^"']{1,30})["']""")

_REMEDY = "reading meshes needs the packages trimesh and pycollada: pip install 'simspark_ros[meshes]'"


@dataclass(frozen=True)
class MeshContent:
    """The content of a mesh file.

    Attributes:
        points: (N, 3) distinct points in the file's unit, turned and scaled by the file's nodes.
        triangles: (F, 3) indices of points; none if the file holds points alone.
        colour: red, green, blue, alpha of the whole mesh, 0 to 1; None if the file has none, or several.
    """

    points: Array
    triangles: NDArray[np.int64]
    colour: tuple[float, float, float, float] | None


@kept_until_edited(256)
def read_mesh(path: Path, limits: LimitSettings) -> MeshContent:
    """The mesh of a file; a file that many links use is read once.

    Raises:
        RobotError: the file cannot be read, or is beyond the limits.
    """
    if path.suffix.lower() not in FORMATS:
        raise RobotError(f"meshes are read from {', '.join(FORMATS)} files, not from {cut(path.suffix, 20) or 'such'}")
    note_file(path)
    size = path.stat().st_size
    if size > limits.mesh_file_size:
        raise RobotError(f"the mesh has {size} bytes; mesh_file_size allows {limits.mesh_file_size}")
    content = path.read_bytes()
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise RobotError("the mesh has a <!DOCTYPE>, whose entities stand for any amount of text; take it out")
    scene = _load(content, path.suffix.lower()[1:])
    triangles = sum(len(getattr(part, "faces", ())) for part in scene.geometry.values())
    if triangles > limits.mesh_triangles:
        raise RobotError(f"the mesh has {triangles} triangles; mesh_triangles allows {limits.mesh_triangles}")
    points, corners = _geometry(scene, limits)
    points *= _unit(content) if path.suffix.lower() == ".dae" else 1.0
    if not len(points):
        raise RobotError("the mesh has no points")
    if not np.isfinite(points).all():
        raise RobotError("the mesh has points that are no finite numbers")
    return MeshContent(points, corners, _colour(scene))


def _unit(content: bytes) -> float:
    """Length of a COLLADA file's unit, m; its up axis means nothing in URDF."""
    found = _UNIT.search(content)
    try:
        return float(found[1]) if found else 1.0
    except ValueError:
        return 1.0


def _load(content: bytes, kind: str) -> Any:
    """A trimesh scene. Without a resolver only the content is read: no textures, no other files."""
    try:
        import trimesh

        if kind == "dae":
            import collada  # noqa: F401
    except ImportError as error:
        raise RobotError(f"{error.name} is missing; {_REMEDY}") from None
    try:
        with np.errstate(all="ignore"):
            return trimesh.load_scene(io.BytesIO(content), file_type=kind, process=False)
    # These readers may raise any error, and all errors are the file's fault.
    except Exception as error:
        raise RobotError(f"the mesh is no {kind.upper()} file that trimesh reads: {type(error).__name__}") from None


def _geometry(scene: Any, limits: LimitSettings) -> tuple[Array, NDArray[np.int64]]:
    """The distinct points, at the places that the scene's nodes give them, and the triangles between them."""
    parts: list[Array] = [np.zeros((0, 3))]
    faces: list[NDArray[np.int64]] = [np.zeros((0, 3), np.int64)]
    count = 0
    for node in scene.graph.nodes_geometry:
        turn, name = scene.graph[node]
        part = getattr(scene.geometry[name], "vertices", np.zeros((0, 3)))
        faces.append(np.asarray(getattr(scene.geometry[name], "faces", faces[0]), np.int64) + count)
        count += len(part)
        if count > 3 * limits.mesh_triangles:
            raise RobotError(f"the mesh has more than {limits.mesh_triangles} triangles (setting mesh_triangles)")
        with np.errstate(all="ignore"):
            parts.append(np.asarray(part, np.float64) @ turn[:3, :3].T + turn[:3, 3])
    points, place = _distinct(np.concatenate(parts))
    corners = np.concatenate(faces)
    # A file may refer to points that it does not have.
    there = ((corners >= 0) & (corners < len(place))).all(axis=1)
    return points, place[corners[there]]


def _distinct(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Distinct points, sorted, and the place of each point among them; numpy's `unique` of rows is ten times slower."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    is_new = np.ones(len(points), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(points), np.int64)
    place[order] = np.cumsum(is_new) - 1
    return ordered[is_new], place


def _colour(scene: Any) -> tuple[float, float, float, float] | None:
    colours = set()
    for part in scene.geometry.values():
        visual = getattr(part, "visual", None)
        material = getattr(visual, "material", None)
        colour = getattr(material, "main_color", None) if getattr(visual, "defined", False) else None
        if colour is None:
            return None
        colours.add(tuple(float(value) / 255.0 for value in colour))
    if len(colours) != 1:
        return None
    red, green, blue, alpha = colours.pop()
    return red, green, blue, alpha
