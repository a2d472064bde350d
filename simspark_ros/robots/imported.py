"""Robots as their makers' files have them, made fit for the importer: what a file of ours would say, and a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.adaptation.adapt import adapt
from simspark_ros.robots.catalogue import framed, model_text, plain_model
from simspark_ros.robots.report import ImportReport
from simspark_ros.robots.robot_file import ROBOTS


@dataclass(frozen=True)
class Imported:
    """A robot that has been read.

    Attributes:
        urdf: its model in plain URDF, which names no other file.
        document: the content of its YAML file, or what one would say.
        report: of what was understood, approximated and dropped.
        original: the model as its maker wrote it, with the names of meshes.
    """

    urdf: str
    document: dict[str, Any]
    report: ImportReport
    original: str


def import_yaml(path: Path, variant: int, limits: LimitSettings, changes: Mapping[str, float]) -> Imported:
    """A variant of the robot of a YAML file, whose lists say which sensors and motors it has; see `model_text`.

    Raises:
        RobotError: its files cannot be used.
    """
    document = ROBOTS.document(path)
    urdf, original, report = plain_model(path, document, variant, limits, changes)
    return Imported(urdf, document, report, original)


def import_model(path: Path, limits: LimitSettings) -> Imported:
    """The robot of a URDF or xacro file, with the sensors and motors that it declares.

    Raises:
        RobotError: the model cannot be used.
    """
    report = ImportReport()
    plain = model_text(path, {"model": str(path)}, 0)
    adapted = adapt(plain, path, limits, report)
    document = adapted.document(path)
    urdf, original = (framed(text, path, document, 0) for text in (adapted.urdf, plain))
    return Imported(urdf, document, report, original)
