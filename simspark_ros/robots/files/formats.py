"""Reads models by the ending of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import READERS, MeshCollisions
from simspark_ros.robots.files.xml_text import without_comments

if TYPE_CHECKING:
    from simspark_ros.robots.files.imported import Imported

_ROOTS = {"sdf": ".sdf", "mujoco": ".xml"}
_FIRST_ELEMENT = re.compile(r"<([A-Za-z]\w*)")

Reader = Callable[..., "Imported"]


def read_format(
    path: Path,
    variant: int,
    limits: LimitSettings,
    meshes: MeshCollisions = "hulls",
    arguments: Mapping[str, str] = MappingProxyType({}),
) -> Imported:
    """The robot of a file with an ending of `READERS`; to be called in a process with limits.

    Args:
        path: path of the file.
        variant: heterogeneous type; only RSG has types besides 0.
        limits: limits on the content of the file.
        meshes: kind of solid that meshes collide as.
        arguments: arguments of a xacro file.

    Raises:
        RobotError: the file cannot be used; the message names file, place and reason.
    """
    # Names of files are checked without numpy.
    import numpy as np

    module, name = READERS[path.suffix]
    reader: Reader = getattr(import_module(module), name)
    if arguments:
        reader = partial(reader, arguments=arguments)
    try:
        # Numbers that are not finite are refused after reading.
        with np.errstate(all="ignore"):
            return reader(path, variant, limits, meshes)
    except RecursionError:
        raise RobotError(f"{path}: is nested too deeply") from None


def check_variant(path: Path, variant: int) -> None:
    """Refuse heterogeneous types of a format without types, by a `RobotError`."""
    if variant:
        raise RobotError(f"{path}: robot '{path.stem}' has no variant {variant}, only 0")


def ending_of(text: str) -> str:
    """The ending that a file with this text would have."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(";") or start.startswith("(RSG"):
        return ".rsg"
    if not start.startswith("<"):
        return ".yaml"
    found = _FIRST_ELEMENT.search(without_comments(start))
    return _ROOTS.get(found[1] if found else "", ".urdf")
