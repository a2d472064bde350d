"""Files as makers of robots write them, small ones.

Trimesh is imported by the tests that need it: it brings SciPy, which costs each process that runs tests a second.
"""

from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.configuration.limits import LimitSettings

LIMITS = LimitSettings(robot_file_time=60.0)
"""Time enough for a busy machine."""

BOX = '<collision><geometry><box size="0.1 0.2 0.4"/></geometry></collision>'

INERTIAL = (
    '<inertial><mass value="{mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name: str, content: str = "", mass: float = 1.0) -> str:
    """A link; without a mass if it is 0."""
    return f'<link name="{name}">{INERTIAL.format(mass=mass) if mass else ""}{content}</link>'


def solid(shape: str, content: str = "", place: str = "0 0 0") -> str:
    """A solid that collides."""
    return f'<collision name="c">{content}<origin xyz="{place}"/><geometry>{shape}</geometry></collision>'


def body(name: str, mass: float, shape: str, place: str = "0 0 0", moment: float = 0.0, shape_at: str = "") -> str:
    """A link of one solid, at the centre of mass unless it is elsewhere; a moment of 0 is 2e-3 m2 of the mass."""
    moments = " ".join(f'{axes}="{moment or mass * 2e-3!r}"' for axes in ("ixx", "iyy", "izz"))
    inertial = f'<inertial><origin xyz="{place}"/><mass value="{mass!r}"/><inertia {moments}/></inertial>'
    return f'<link name="{name}">{inertial}{solid(shape, place=shape_at or place)}</link>'


def joint(name: str, parent: str, child: str, content: str = "", kind: str = "revolute", axis: str = "1 0 0") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{content}</joint>'


LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'

CONTROL = (
    '<ros2_control name="c" type="system"><joint name="j"><command_interface name="position"/></joint></ros2_control>'
)
"""An element that gives the joint `j` a motor."""


def mesh(address: str, tag: str = "collision", scale: str = "1 1 1") -> str:
    return f'<{tag}><geometry><mesh filename="{address}" scale="{scale}"/></geometry></{tag}>'


def robot(*parts: str) -> str:
    """A document, each part on a line of its own from the second on."""
    return "\n".join(['<robot name="made">', *parts, "</robot>"])


def said(lines: list[str], *words: str) -> bool:
    """Whether a line of a report has all the words."""
    return any(all(word in line for word in words) for line in lines)


def write(folder: Path, text: str, name: str = "made.urdf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def write_mesh(path: Path, solid: Any = None) -> Path:
    """A file with a mesh, None = a ball of 642 corners, in the format of its ending."""
    import trimesh

    solid = solid or trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = solid.export(file_type=path.suffix[1:])
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def box(*edges: float) -> Any:
    import trimesh

    return trimesh.creation.box(np.array(edges))
