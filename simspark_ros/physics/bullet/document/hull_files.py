"""Convex hulls as files: PyBullet reads the meshes of a URDF file from nowhere else."""

from __future__ import annotations

import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from simspark_ros.physics.geometry.hulls import hull_faces
from simspark_ros.physics.model import Vector

_MARGIN = 0.001  # m; thickness of the layer that Bullet lays around hulls


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """The folder of the files, removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="simspark-hulls-")


def hull_file(vertices: tuple[Vector, ...]) -> str:
    """The path of a file with a hull (m), less Bullet's layer, which Bullet takes as convex; one file for equal hulls.

    Raises:
        OSError: it cannot be written.
    """
    corners = np.array(vertices)
    inner = corners * (1.0 - _MARGIN / np.maximum(np.abs(corners).max(axis=0), 2.0 * _MARGIN))
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in inner.tolist()]
    lines += [f"f {one + 1} {two + 1} {three + 1}" for one, two, three in hull_faces(vertices).triangles.tolist()]
    content = "\n".join([*lines, ""]).encode()
    # The name depends on the content, as PyBullet remembers files by their names.
    path = Path(_folder().name, f"{sha256(content).hexdigest()}.obj")
    if not path.exists():
        path.write_bytes(content)
    return str(path)
