"""Files as makers of robots write them, small ones.

Trimesh is imported by the tests that need it: it brings SciPy, which costs each process that runs tests a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import trimesh

INERTIAL = (
    '<inertial><mass value="{mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name: str, content: str = "", mass: float = 1.0) -> str:
    """A link; without a mass if it is 0."""
    return f'<link name="{name}">{INERTIAL.format(mass=mass) if mass else ""}{content}</link>'


def joint(name: str, parent: str, child: str, content: str = "", kind: str = "revolute") -> str:
    """A joint about x."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="1 0 0"/>{content}</joint>'
    )


LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'


CONTROL = (
    '<ros2_control name="c" type="system"><joint name="j"><command_interface name="position"/></joint></ros2_control>'
)
"""An element that gives the joint `j` a motor."""


def mesh(address: str, tag: str = "collision", scale: str = "1 1 1") -> str:
    """A solid that is a mesh."""
    return f'<{tag}><geometry><mesh filename="{address}" scale="{scale}"/></geometry></{tag}>'


def robot(*parts: str) -> str:
    """A document, each part on a line of its own from the second on."""
    return "\n".join(['<robot name="made">', *parts, "</robot>"])


def write(folder: Path, text: str, name: str = "made.urdf") -> Path:
    """A file with a text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def write_mesh(path: Path, solid: trimesh.Trimesh | None = None) -> Path:
    """A file with a mesh, None = a ball of 642 corners, in the format of its ending."""
    import trimesh

    solid = solid or trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_bytes(solid.export(file_type=path.suffix[1:])))
    return path


def box(*edges: float) -> trimesh.Trimesh:
    """A box around the origin."""
    import trimesh

    return trimesh.creation.box(np.array(edges))


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
