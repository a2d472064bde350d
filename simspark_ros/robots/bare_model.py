"""Robots of which there is a model and no YAML file: what such a file would say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simspark_ros.configuration.names import as_word
from simspark_ros.robots.catalogue import model_text
from simspark_ros.robots.urdf.importer import import_urdf


def document_of_model(path: Path) -> dict[str, Any]:
    """The content of a YAML file for a URDF or xacro file: the base measures its motion, and every joint has a motor.

    Raises:
        RobotError: the model cannot be used.
    """
    document: dict[str, Any] = {"model": str(path)}
    joints = [joint.name for joint in import_urdf(model_text(path, document, 0), source=path.name).joints]
    perceptors: list[dict[str, Any]] = [{"kind": "gyroscope"}, {"kind": "accelerometer"}]
    if joints:
        perceptors.append({"kind": "hinge_joint", "joints": joints})
        document["effectors"] = [{"kind": "hinge", "joints": {name: as_word(name) for name in joints}}]
    return {**document, "perceptors": perceptors}
