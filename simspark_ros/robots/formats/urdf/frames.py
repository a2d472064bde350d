"""Adds frames to the text of a URDF document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from simspark_ros.physics.model import Vector

_END = "</robot>"


def with_frame(urdf: str, name: str, link: str, position: Vector, rpy: Vector) -> str:
    """The document with a link `name` without mass, fixed to another link at a position (m) and rpy (rad).

    A text that is no URDF document stays as it is: the importer refuses it.
    """
    before, end, after = urdf.rpartition(_END)
    if not end:
        return urdf
    own, joint, parent = (f'"{escape(one)}"' for one in (name, f"{name}_mount", link))
    origin = f'<origin xyz="{_numbers(position)}" rpy="{_numbers(rpy)}"/>'
    mount = f'<joint name={joint} type="fixed"><parent link={parent}/><child link={own}/>{origin}</joint>'
    return f"{before}  <link name={own}/>\n  {mount}\n{end}{after}"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(map(repr, values))
