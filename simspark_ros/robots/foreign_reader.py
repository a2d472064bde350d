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
from simspark_ros.robots.robot_file import ROBOTS
from simspark_ros.robots.size import check_size


def _read(path: Path, variant: int, changes: dict[str, float], limits: LimitSettings) -> dict[str, Any]:
    document = ROBOTS.document(path) if path.suffix == ".yaml" else document_of_model(path)
    model = document.get("model")
    if isinstance(model, str) and Path(model).is_file():
        check_file_size(Path(model), limits)
    urdf = model_text(path, document, variant, changes)
    description = describe(path, document, urdf, variant)
    check_size(description, limits)
    return {
        # Of its variants a description needs the numbers.
        "document": {**document, "variants": {}, "parameters": {}, "parameter_rules": []},
        "variants": list(document.get("variants", [0])),
        "urdf": urdf,
        "parameters": {**description.parameters, **changes},
    }


def _unknown(value: Any) -> Any:
    raise RobotError(f"parameters of a perceptor or effector hold {kind_of(value)}, which none takes")


if __name__ == "__main__":
    answer(sys.argv[1], _read, _unknown)
