"""Robots from clients' files or texts, read by a process with limits: see `configuration.foreign`.

This module is that process's program, too: it takes all steps of `reading`, and answers with the description.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from simspark_ros.configuration.errors import kind_of
from simspark_ros.configuration.foreign import answer, as_file, ask, check_written_out
from simspark_ros.configuration.limits import LimitSettings, only_limits
from simspark_ros.configuration.read_files import kept_until_edited, noted_files
from simspark_ros.configuration.schema import ConfigurationError, build, plain
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.formats import ending_of
from simspark_ros.robots.files.reading import read_robot
from simspark_ros.robots.types.parameters import RobotName


def load_foreign(
    path: Path, variant: int, limits: LimitSettings, wish: RobotName | None = None, meshes: MeshCollisions | None = None
) -> RobotDescription:
    """The description of a variant of a robot, from a file with an ending of `FORMATS`; takes as long as `foreign.ask`.

    wish: changed parameters of the body; meshes: kind of solid that meshes collide as, None = as the YAML file says.

    The last few descriptions are kept, as long as their files stay as they are; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    return _kept(path.resolve(), variant, only_limits(limits), str(wish or ""), meshes)


def load_foreign_text(text: str, limits: LimitSettings) -> RobotDescription:
    """As `load_foreign`, for a text whose first element shows its format; not for YAML, which has no elements.

    Not for xacro, which could show files of this machine to clients on other machines.
    """
    with as_file(text, ending_of(text), limits, RobotError) as path:
        return _asked(path, 0, only_limits(limits), "", None)


def _asked(
    path: Path, variant: int, limits: LimitSettings, wish: str, meshes: MeshCollisions | None
) -> RobotDescription:
    told = ask("simspark_ros.robots.files.foreign", path, [variant, wish, meshes], limits, RobotError)
    try:
        return build(RobotDescription, told, str(path))
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


@kept_until_edited(32)
def _kept(
    path: Path, variant: int, limits: LimitSettings, wish: str, meshes: MeshCollisions | None
) -> RobotDescription:
    with noted_files() as files:
        robot = _asked(path, variant, limits, wish, meshes)
    return replace(robot, files=tuple(files))


def _read(path: Path, variant: int, wish: str, meshes: MeshCollisions | None, limits: LimitSettings) -> dict[str, Any]:
    told: dict[str, Any] = plain(read_robot(path, variant, limits, wish=RobotName.parse(wish), meshes=meshes))
    # The model has limits of its own.
    check_written_out(path, {**told, "model": None}, limits, _unknown)
    return told


def _unknown(value: Any) -> Any:
    raise RobotError(f"a parameter of a device must not be {kind_of(value)}; use numbers, texts, lists or mappings")


def main() -> NoReturn:
    """Read the file in the program's argument."""
    answer(sys.argv[1], _read)
