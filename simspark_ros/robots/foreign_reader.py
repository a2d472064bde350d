"""The process that reads a foreign robot's files; `foreign` starts it, and gets one JSON object from it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import kind_of
from simspark_ros.configuration.foreign import answer, check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.bare_model import document_of_model
from simspark_ros.robots.catalogue import describe, model_text
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats import READERS, read_format
from simspark_ros.robots.robot_file import ROBOTS
from simspark_ros.robots.size import check_size


def _read(path: Path, variant: int, limits: LimitSettings) -> dict[str, Any]:
    if path.suffix in READERS:
        imported = read_format(path, variant, limits)
        return _checked(path, imported.document, imported.urdf, variant, limits)
    document = ROBOTS.document(path) if path.suffix == ".yaml" else document_of_model(path)
    model = document.get("model")
    if isinstance(model, str) and Path(model).is_file():
        check_file_size(Path(model), limits)
    return _checked(path, document, model_text(path, document, variant), variant, limits)


def _checked(path: Path, document: dict[str, Any], urdf: str, variant: int, limits: LimitSettings) -> dict[str, Any]:
    """The answer, if the robot is not too large."""
    check_size(describe(path, document, urdf, variant), limits)
    # Of its variants a description needs the numbers.
    return {"document": {**document, "variants": {}}, "variants": list(document.get("variants", [0])), "urdf": urdf}


def _unknown(value: Any) -> Any:
    raise RobotError(f"parameters of a perceptor or effector hold {kind_of(value)}, which none takes")


if __name__ == "__main__":
    answer(sys.argv[1], _read, _unknown)
