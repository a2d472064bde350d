"""Robots from clients' files or texts, read by a process with limits: see `configuration.foreign`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from simspark_ros.configuration.foreign import as_file, ask, only_limits
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import changed, describe
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.formats import ending_of
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.robot_file import MeshCollisions
from simspark_ros.robots.types.parameters import RobotName

_NAME = 48
"""Most characters of a robot's name that comes from its model."""

_READER = "simspark_ros.robots.files.foreign_reader"


def load_foreign(
    path: Path,
    variant: int,
    limits: LimitSettings,
    wish: RobotName | None = None,
    meshes: MeshCollisions | None = None,
) -> RobotDescription:
    """The description of a variant of a robot, from a file with an ending of `FORMATS`; takes as long as `foreign.ask`.

    wish: changed parameters of the body; meshes: kind of solid that meshes collide as, None = as the YAML file says.

    The last few descriptions are kept; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    return _load(path.resolve(), variant, only_limits(limits), str(wish or ""), meshes)


def load_foreign_text(text: str, limits: LimitSettings) -> RobotDescription:
    """As `load_foreign`, for a text whose first element shows its format; not for YAML, which has no elements.

    Not for xacro, which could show files of this machine to clients on other machines.
    """
    with as_file(text, ending_of(text), limits, RobotError) as path:
        return _read(path, 0, only_limits(limits))


def _read(
    path: Path, variant: int, limits: LimitSettings, name: str = "", meshes: MeshCollisions | None = None
) -> RobotDescription:
    wish = RobotName.parse(name)
    body = variant if wish.body is None else wish.body
    read = ask(_READER, path, [body, dict(wish.changes), meshes], limits, RobotError)
    # JSON has no numbers as keys.
    document = {**read["document"], "variants": {number: {} for number in read["variants"]}}
    report = ImportReport.from_json(read["report"])
    description = describe(path, document, read["urdf"], body, read["original"], report)
    if path.suffix != ".yaml":
        description = replace(description, name=description.model.name[:_NAME])
    parameters: Mapping[str, float] = read["parameters"]
    if wish.changes or wish.body is not None:
        return changed(description, wish, variant, parameters)
    return replace(description, parameters=parameters)


_load = lru_cache(maxsize=32)(_read)


def forget_files() -> None:
    """Forget all descriptions, so that files are read again; safe from any thread."""
    _load.cache_clear()
