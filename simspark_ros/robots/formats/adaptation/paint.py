"""Colours of the triangles of mesh files: of materials, of corners, and of pictures on surfaces.

Nothing here refuses a robot: what cannot be read has no colour.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.formats.adaptation.addresses import MANIFESTS, home_of, is_common

_FINE = 6000
"""Triangles that a mesh with a picture is cut into at most, so that the picture shows; finer meshes stay whole."""

_PIXELS = 256
"""Most pixels along the edges of a picture on a surface; larger ones are made smaller, which averages them."""

_PLAIN = 6.0
"""Standard deviation of a picture, 0 to 255, up to which it is of one colour."""


class MeshResources:
    """The files beside a mesh that it names: materials and pictures, in its package, else in its folder's parent.

    Attributes:
        found: whether there was any.
    """

    def __init__(self, mesh: Path, limits: LimitSettings) -> None:
        self._folder, self._limits = mesh.resolve().parent, limits
        above = self._folder.parent
        self.found = False
        self._homes = (self._folder, home_of(mesh, MANIFESTS), *(() if is_common(above) else (above,)))

    def get(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            OSError: there is no such file, it lies elsewhere or is too large.
        """
        path = (self._folder / name.strip().replace("\\", "/")).resolve()
        if not any(path.is_relative_to(home) for home in self._homes):
            raise OSError(f"{name} lies outside of the folders of the robot")
        content = read_resource(path, self._limits)
        self.found = True
        return content

    def __getitem__(self, name: str) -> bytes:
        """As `get`, by which trimesh finds files."""
        return self.get(name)


def read_resource(path: Path, limits: LimitSettings) -> bytes:
    """The content of a file; errors as in `MeshResources.get`."""
    note_file(path)
    if path.stat().st_size > limits.mesh_file_size:
        raise OSError(f"{path} is larger than mesh_file_size")
    return path.read_bytes()


def read_picture(path: Path, limits: LimitSettings) -> Any:
    """A picture as pillow reads it, None if it cannot be read."""
    from PIL import Image

    try:
        picture = Image.open(io.BytesIO(read_resource(path, limits)))
        picture.load()
    # Readers of pictures raise any error.
    except Exception:
        return None
    return picture


def painted(
    points: Array, triangles: NDArray[np.int64], part: Any, has_materials: bool, image: Any
) -> tuple[Array, NDArray[np.int64], Array]:
    """Points, triangles and the colours (F, 4) of a part of a trimesh scene; a picture may cut triangles.

    Args:
        points: (V, 3) points of the part.
        triangles: (F, 3) indices of points.
        part: part with `visual`.
        has_materials: whether the file has materials; trimesh invents one, with a picture, for an OBJ file without.
        image: picture for parts without one.
    """
    none = np.full((len(triangles), 4), np.nan)
    try:
        visual: Any = getattr(part, "visual", None)
        uv = getattr(visual, "uv", None)
        if uv is not None:
            material: Any = visual.material if has_materials else None
            own = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
            factor: Array = np.ones(4)
            if own is not None and getattr(material, "baseColorFactor", None) is not None:
                factor = _shares(material.baseColorFactor)
            if (own or image) is not None:
                return _textured(points, triangles, np.asarray(uv, np.float64), own or image, factor)
        if not getattr(visual, "defined", False):
            return points, triangles, none
        if hasattr(visual, "material"):
            if not has_materials:
                return points, triangles, none
            return points, triangles, np.tile(_shares(visual.material.main_color), (len(triangles), 1))
        return points, triangles, _shares(visual.face_colors)
    # Files may hold anything, and trimesh may raise any error.
    except Exception:
        return points, triangles, none


def _shares(colours: Any) -> Array:
    """Bytes, or shares, of red, green, blue and alpha as shares."""
    given = np.asarray(colours)
    return given.astype(np.float64) / (255.0 if given.dtype.kind in "ui" else 1.0)


def _textured(
    points: Array, triangles: NDArray[np.int64], uv: Array, image: Any, factor: Array
) -> tuple[Array, NDArray[np.int64], Array]:
    """Triangles, each in the colour that a picture has in its middle."""
    import trimesh

    picture = image.convert("RGBA")
    picture.thumbnail((_PIXELS, _PIXELS))
    pixels = np.asarray(picture)
    if pixels.reshape(-1, 4).std(axis=0).max() > _PLAIN:
        while 0 < 4 * len(triangles) <= _FINE:
            points, triangles, more = trimesh.remesh.subdivide(points, triangles, vertex_attributes={"uv": uv})
            uv = more["uv"]
    middles = uv[triangles].mean(axis=1)
    height, width = pixels.shape[:2]
    # Pictures repeat, and v counts from the lower edge.
    across, down = (middles[:, 0] % 1.0 * width).astype(int), ((1.0 - middles[:, 1]) % 1.0 * height).astype(int)
    colours = pixels[np.clip(down, 0, height - 1), np.clip(across, 0, width - 1)] / 255.0
    return points, triangles, colours * factor
