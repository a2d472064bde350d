"""Files as makers of robots write them, small ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

INERTIAL = (
    '<inertial><mass value="{mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
BALL = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
"""642 corners."""


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


def write_mesh(path: Path, solid: trimesh.Trimesh = BALL) -> Path:
    """A file with a mesh, in the format of its ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_bytes(solid.export(file_type=path.suffix[1:])))
    return path


def box(*edges: float) -> trimesh.Trimesh:
    """A box around the origin."""
    return trimesh.creation.box(np.array(edges))


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
