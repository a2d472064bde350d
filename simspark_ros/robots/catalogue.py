"""The catalogue of robots: those of config/robots by name, and a user's own by the path of a YAML file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.model import ShapeKind
from simspark_ros.robots.adaptation.adapt import adapt
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.kept_models import kept_model
from simspark_ros.robots.kinematics import standing_height
from simspark_ros.robots.report import ImportReport
from simspark_ros.robots.robot_file import (
    ROBOTS,
    ModelNames,
    RobotFile,
    effectors_of,
    exclusions_of,
    is_robot_file,
    of_variant,
    perceptors_of,
)
from simspark_ros.robots.urdf.frames import with_frame
from simspark_ros.robots.urdf.importer import import_urdf
from simspark_ros.robots.xacro_file import process_xacro

_LOADED: dict[tuple[str, int], RobotDescription] = {}


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, in alphabetical order."""
    return tuple(ROBOTS.names)


def variants(name: str) -> tuple[int, ...]:
    """Heterogeneous types of a robot, in ascending order; arguments and errors as `load_robot`."""
    path, document = _read(name)
    return tuple(sorted(_file(path, document).variants))


def load_robot(name: str, variant: int = 0) -> RobotDescription:
    """The description of one variant of a robot. Loaded once; later calls return the same object.

    The files are read here and now, without limits: `foreign.load_foreign` is for those that a client names.

    Args:
        name: one of `robot_names()`, or the path of a YAML file.
        variant: one of `variants(name)`.

    Raises:
        RobotError: there is no such robot or variant, or one of its files cannot be used.
    """
    if (name, variant) not in _LOADED:
        path, document = _read(name)
        urdf, original, report = plain_model(path, document, variant, LimitSettings())
        _LOADED[name, variant] = describe(path, document, urdf, variant, original, report)
    return _LOADED[name, variant]


def loaded_robot(name: str, variant: int = 0) -> RobotDescription:
    """A robot of the package, or one whose files have been read before; errors as there."""
    if is_robot_file(name) and (name, variant) not in _LOADED:
        raise RobotError(f"no robot was loaded from {shown(name)} at the start; name it in a profile")
    return load_robot(name, variant)


def keep(name: str, description: RobotDescription) -> None:
    """Let `loaded_robot` know a robot that has been read elsewhere, by the path that names it."""
    _LOADED[name, description.variant] = description


def model_text(path: Path, document: Mapping[str, Any], variant: int) -> str:
    """The URDF text of a robot's model; a xacro file is processed with `type:=variant`.

    Args:
        path: of the robot's YAML file.
        document: its content, with that of the files it is based on.
        variant: that is wanted.

    Raises:
        RobotError: the robot has no such variant, or the model file cannot be used.
    """
    file = _file(path, document)
    if variant not in file.variants:
        known = ", ".join(map(str, sorted(file.variants)))
        raise RobotError(f"{path}: variants: robot '{path.stem}' has no variant {variant}; there are: {known}")
    model = Path(file.model)
    if not model.is_file():
        raise RobotError(f"{model}: there is no such model file; 'model' is relative to the robot's YAML file")
    try:
        text = model.read_text(encoding="utf-8") if model.suffix != ".xacro" else _processed(model, variant)
    except (OSError, UnicodeDecodeError) as error:
        raise RobotError(f"{model}: cannot be read as UTF-8 text: {error}") from None
    return framed(text, path, document, variant)


def plain_model(
    path: Path, document: Mapping[str, Any], variant: int, limits: LimitSettings
) -> tuple[str, str, ImportReport]:
    """The model of a robot's file as `import_urdf` takes it, as it is written, and a report of how it was understood.

    Models of the package are plain URDF, those of others may have meshes, on which there are limits. Arguments and
    errors as `model_text`.
    """
    text, report = model_text(path, document, variant), ImportReport()
    model = Path(document["model"])
    if model.parent == resource("urdf"):
        return text, text, report
    return adapt(text, model, limits, report, _file(path, document).mesh_collisions == "boxes").urdf, text, report


def framed(text: str, path: Path, document: Mapping[str, Any], variant: int) -> str:
    """A URDF text with the frames that a robot's file adds to a variant; arguments and errors as `model_text`."""
    for _, frame in of_variant(_file(path, document).frames, variant):
        roll, pitch, yaw = map(math.radians, frame.rpy_deg)
        text = with_frame(text, frame.name, frame.link, frame.position, (roll, pitch, yaw))
    return text


def describe(
    path: Path,
    document: Mapping[str, Any],
    urdf: str,
    variant: int,
    original: str = "",
    report: ImportReport | None = None,
) -> RobotDescription:
    """The description of a robot from the content of its files; arguments and errors as `model_text`.

    The model comes from `urdf`; `original` and `report` are those of the description.
    """
    file = _file(path, document)
    place = str(path.resolve())
    if not is_unicode(place):
        raise RobotError(f"{place}: the file's path is not UTF-8, as it has to be to be named to others")
    model = import_urdf(
        urdf,
        source=f"{Path(file.model).name} of variant {variant}",
        shapes={link: ShapeKind(kind) for link, kind in file.shapes.items()},
        touch_links=[entry.link for _, entry in of_variant(file.touch_links, variant)],
        linear_drag=file.linear_drag,
        angular_drag=file.angular_drag,
    )
    names = ModelNames(path, model)
    for label, link in file.visible_parts.items():
        names.check_word(label, "visible_parts")
        names.check(link, names.links, "link", f"visible_parts: {cut(label, 40)}")
    return RobotDescription(
        name=path.stem,
        variant=variant,
        model=model,
        perceptors=perceptors_of(file, variant, names),
        effectors=effectors_of(file, variant, names),
        visible_parts=file.visible_parts,
        spawn_height=standing_height(model),
        urdf=urdf,
        original=original or urdf,
        report=report or ImportReport(),
        file=str(path),
        source=path.stem if path.stem in robot_names() and path == ROBOTS.path(path.stem) else place,
        self_collision_exclusions=exclusions_of(file, names),
    )


@cache
def _processed(model: Path, variant: int) -> str:
    """Robots that are based on one another share a model file."""
    if model.parent != resource("urdf"):
        return process_xacro(model, variant)
    return kept_model(model, variant, (model.parent, resource("config", "robots")))


@cache
def _read(name: str) -> tuple[Path, dict[str, Any]]:
    """Path and content of a robot's file."""
    try:
        path = ROBOTS.path(name)
        return path, ROBOTS.document(path)
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


def _file(path: Path, document: Mapping[str, Any]) -> RobotFile:
    """The content of a robot's file, checked as far as possible without its model."""
    try:
        return build(RobotFile, document, str(path))
    except ConfigurationError as error:
        raise RobotError(ROBOTS.located(path, str(error))) from None
