"""The process that reads a foreign robot's files; `foreign` starts it, and gets one JSON object from it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import kind_of
from simspark_ros.configuration.foreign import answer, check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.body.size import check_size
from simspark_ros.robots.catalogue import describe
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.formats import READERS, read_format
from simspark_ros.robots.files.imported import Imported, import_model, import_yaml
from simspark_ros.robots.files.robot_file import ROBOTS, MeshCollisions
from simspark_ros.robots.formats.adaptation.adapt import located


def _read(
    path: Path, variant: int, changes: dict[str, float], meshes: MeshCollisions | None, limits: LimitSettings
) -> dict[str, Any]:
    imported = _imported(path, variant, changes, meshes, limits)
    document = imported.document
    try:
        description = describe(path, document, imported.urdf, variant)
        check_size(description, limits)
    except RobotError as error:
        # Lines of other formats differ from the lines of the URDF made from them.
        if path.suffix in READERS:
            raise
        raise located(error, imported.original, Path(document["model"])) from None
    return {
        # A description needs only the numbers of the variants.
        "document": {**document, "variants": {}, "parameters": {}, "parameter_rules": []},
        "variants": list(document.get("variants", [0])),
        "urdf": imported.urdf,
        "original": imported.original,
        "report": imported.report.as_json(),
        "parameters": {**description.parameters, **changes},
    }


def _imported(
    path: Path, variant: int, changes: dict[str, float], meshes: MeshCollisions | None, limits: LimitSettings
) -> Imported:
    if changes and path.suffix != ".yaml":
        raise RobotError(f"{path}: parameters: only a robot's YAML file declares some")
    if path.suffix in READERS:
        return read_format(path, variant, limits, meshes or "hulls")
    if path.suffix != ".yaml":
        return import_model(path, limits, meshes or "hulls")
    document = ROBOTS.document(path)
    if meshes:
        document = {**document, "mesh_collisions": meshes}
    model = document.get("model")
    if isinstance(model, str) and Path(model).is_file():
        check_file_size(Path(model), limits)
    return import_yaml(path, document, variant, limits, changes)


def _unknown(value: Any) -> Any:
    raise RobotError(f"parameters of a perceptor or effector hold {kind_of(value)}, which none takes")


if __name__ == "__main__":
    answer(sys.argv[1], _read, _unknown)
