"""The program of the process of `foreign`: it takes all steps of `reading`, and answers with the description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

# The steps that only makers' files take: a copy of this process has what it has imported.
import simspark_ros.robots.files.group_states
import simspark_ros.robots.formats.adaptation.adapt  # noqa: F401  # imported for the copies
from simspark_ros.configuration.errors import kind_of
from simspark_ros.configuration.foreign import answer, check_written_out
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import plain
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.reading import read_robot
from simspark_ros.robots.types.parameters import RobotName


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
