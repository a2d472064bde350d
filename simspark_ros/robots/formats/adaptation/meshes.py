"""Files of meshes, read by trimesh: their points, triangles and colours, checked."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import kept_until_edited, note_file
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.paint import MeshResources, painted, read_picture

FORMATS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply")

_UNIT = re.compile(rb"""<unit\b[^>]{0,200}\bmeter\s*=\s*["']([^"']{1,30})["']""")

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary STL file, which lie behind 80 bytes and their number."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd factor whose bits look random, as multiplicative hashes have it: 2^64 divided by the golden ratio."""

_REMEDY = "reading meshes needs the packages trimesh and pycollada: pip install 'simspark_ros[meshes]'"


class MeshContent(NamedTuple):
    """The content of a mesh file.

    Attributes:
        points: (N, 3) distinct points in the file's unit, turned and scaled by the file's nodes.
        triangles: (F, 3) indices of points; none if the file holds points alone.
        colours: (F, 4) red, green, blue, alpha of each triangle, 0 to 1, NaN where the file gives none.
    """

    points: Array
    triangles: NDArray[np.int64]
    colours: Array


@kept_until_edited(256)
def read_mesh(path: Path, limits: LimitSettings, texture: Path | None) -> MeshContent:
    """The mesh of a file; a file that many links use is read once.

    Args:
        path: path of the file.
        limits: limits on the file.
        texture: picture on surfaces for which the file itself has none; None = none, too.

    Raises:
        RobotError: the file cannot be read, or is beyond the limits.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise RobotError(f"a mesh file must end in {', '.join(FORMATS)}, not in '{cut(path.suffix, 20)}'")
    note_file(path)
    size = path.stat().st_size
    if size > limits.mesh_file_size:
        raise RobotError(f"the mesh has {size} bytes; mesh_file_size allows {limits.mesh_file_size}")
    content = path.read_bytes()
    parts = _binary_stl(content) if kind == ".stl" else None
    if parts is None:
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise RobotError("the mesh has a <!DOCTYPE>, whose entities may expand to any amount of text; remove it")
        resources = MeshResources(path, limits)
        scene = _load(content, kind[1:], resources)
        _check_count(sum(len(getattr(part, "faces", ())) for part in scene.geometry.values()), limits)
        image = None if texture is None else read_picture(texture, limits)
        parts = list(_parts(scene, limits, kind != ".obj" or resources.found, image))
    _check_count(sum(len(part.triangles) for part in parts), limits)
    mesh = _joined(parts)
    if not len(mesh.points):
        raise RobotError("the mesh has no points")
    if not np.isfinite(mesh.points).all():
        raise RobotError("the mesh has points whose coordinates are not finite")
    return mesh._replace(points=mesh.points * _unit(content)) if kind == ".dae" else mesh


def _check_count(triangles: int, limits: LimitSettings) -> None:
    if triangles > limits.mesh_triangles:
        raise RobotError(f"the mesh has {triangles} triangles; mesh_triangles allows {limits.mesh_triangles}")


def _unit(content: bytes) -> float:
    """Length of a COLLADA file's unit, m; its up axis means nothing in URDF."""
    found = _UNIT.search(content)
    try:
        return float(found[1]) if found else 1.0
    except ValueError:
        return 1.0


def _binary_stl(content: bytes) -> list[MeshContent] | None:
    """The mesh of a binary STL file, None for other files. Most robots have no others: trimesh takes a second."""
    count = int.from_bytes(content[80:84], "little")
    if len(content) < 84 or len(content) != 84 + _STL.itemsize * count:
        return None
    corners = np.frombuffer(content, _STL, offset=84)["corners"].reshape(-1, 3).astype(np.float64)
    return [MeshContent(corners, np.arange(3 * count).reshape(-1, 3), np.full((count, 4), np.nan))]


def _load(content: bytes, kind: str, resources: MeshResources) -> Any:
    """A trimesh scene, with the materials and pictures beside the file; without them if they cannot be read."""
    try:
        import trimesh

        if kind == "dae":
            import collada  # noqa: F401
    except ImportError as error:
        raise RobotError(f"{error.name} is missing; {_REMEDY}") from None
    failure = ""
    # These readers may raise any error, and all errors are the file's fault.
    for resolver in (resources, None):
        try:
            with np.errstate(all="ignore"):
                return trimesh.load_scene(io.BytesIO(content), file_type=kind, process=False, resolver=resolver)
        except Exception as error:
            failure = type(error).__name__
    raise RobotError(f"trimesh cannot read the mesh as {kind.upper()}: {failure}")


def _parts(scene: Any, limits: LimitSettings, has_materials: bool, image: Any) -> Iterator[MeshContent]:
    """Yield the parts of a scene, at the places that the scene's nodes give them."""
    count = 0
    for node in scene.graph.nodes_geometry:
        turn, name = scene.graph[node]
        part = scene.geometry[name]
        points = np.asarray(getattr(part, "vertices", np.zeros((0, 3))), np.float64)
        corners = np.asarray(getattr(part, "faces", np.zeros((0, 3))), np.int64)
        count += len(points)
        if count > 3 * limits.mesh_triangles:
            raise RobotError(f"the mesh has more than {limits.mesh_triangles} triangles (setting mesh_triangles)")
        # A file may refer to points that it does not have.
        there = ((corners >= 0) & (corners < len(points))).all(axis=1)
        if there.all():
            points, corners, colours = painted(points, corners, part, has_materials, image)
        else:
            corners, colours = corners[there], np.full((there.sum(), 4), np.nan)
        with np.errstate(all="ignore"):
            yield MeshContent(product(points, turn[:3, :3].T) + turn[:3, 3], corners, colours)


def _joined(parts: Sequence[MeshContent]) -> MeshContent:
    """One mesh of all parts."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    points, place = _distinct(np.concatenate([np.zeros((0, 3)), *(part.points for part in parts)]))
    corners = [part.triangles + start for part, start in zip(parts, starts, strict=False)]
    return MeshContent(
        points,
        place[np.concatenate([np.zeros((0, 3), np.int64), *corners])],
        np.concatenate([np.zeros((0, 4)), *(part.colours for part in parts)]),
    )


def _distinct(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Distinct points, sorted, and the place of each point among them; numpy's `unique` of rows is ten times slower."""
    # Most points are corners of six triangles: sorting one number for each point leaves few points to sort.
    first, group = _alike(points)
    if (points[first][group] != points).any():
        # Different points have one number, or a coordinate is not a number.
        first = group = np.arange(len(points))
    some = points[first]
    order = np.lexsort(some.T[::-1])
    ordered = some[order]
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(ordered), np.int64)
    place[order] = np.cumsum(is_new) - 1
    return ordered[is_new], place[group]


def _alike(points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For points (N, 3): the first point of each number that is mixed of coordinates, and the group of each point."""
    numbers: NDArray[np.uint64] = np.zeros(len(points), np.uint64)
    for axis in range(3):
        # Adding 0 makes 0 of -0.
        numbers ^= (points[:, axis] + 0.0).view(np.uint64)
        numbers ^= numbers >> np.uint64(32)
        numbers *= _MIX
    bits = np.uint64(len(points).bit_length())
    # The last bits of a number are the point's own, as numbers are sorted much faster than places.
    numbers = (numbers >> bits << bits) | np.arange(len(points), dtype=np.uint64)
    numbers.sort()
    order = (numbers & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    numbers >>= bits
    is_new = np.ones(len(points), np.bool_)
    is_new[1:] = numbers[1:] != numbers[:-1]
    group = np.empty(len(points), np.int64)
    group[order] = np.cumsum(is_new) - 1
    return order[is_new], group
