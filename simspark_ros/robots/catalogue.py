"""The catalogue of robots: those of config/robots by name, and a user's own by the path of a YAML file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.library import is_path
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.model import ShapeKind, SurfaceMaterial
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.kept_models import kept_model
from simspark_ros.robots.kinematics import standing_height
from simspark_ros.robots.robot_file import (
    ROBOTS,
    ModelNames,
    RobotFile,
    effectors_of,
    exclusions_of,
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
    path, document = robot_document(name)
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
        path, document = robot_document(name)
        _LOADED[name, variant] = describe(path, document, model_text(path, document, variant), variant)
    return _LOADED[name, variant]


def loaded_robot(name: str, variant: int = 0) -> RobotDescription:
    """A robot of the package, or one whose files have been read by `load_robot` before; errors as there."""
    if is_path(name) and (name, variant) not in _LOADED:
        raise RobotError(f"no robot was loaded from {shown(name)} at the start; name it in a profile")
    return load_robot(name, variant)


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
    for _, frame in of_variant(file.frames, variant):
        roll, pitch, yaw = map(math.radians, frame.rpy_deg)
        text = with_frame(text, frame.name, frame.link, frame.position, (roll, pitch, yaw))
    return text


def describe(path: Path, document: Mapping[str, Any], urdf: str, variant: int) -> RobotDescription:
    """The description of a robot from the content of its files; arguments and errors as `model_text`."""
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
    for link in file.materials:
        names.check(link, names.links, "link", "materials")
    if file.materials:
        model = replace(model, links=tuple(replace(link, material=_material(file, link.name)) for link in model.links))
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
        file=str(path),
        source=path.stem if path.stem in robot_names() and path == ROBOTS.path(path.stem) else place,
        self_collision_exclusions=exclusions_of(file, names),
    )


def _material(file: RobotFile, link: str) -> SurfaceMaterial | None:
    given = file.materials.get(link)
    return None if given is None else SurfaceMaterial(given.friction, given.restitution)


@cache
def _processed(model: Path, variant: int) -> str:
    """Robots that are based on one another share a model file."""
    if model.parent != resource("urdf"):
        return process_xacro(model, variant)
    return kept_model(model, variant, (model.parent, resource("config", "robots")))


@cache
def robot_document(name: str) -> tuple[Path, dict[str, Any]]:
    """Path and content of a robot's file; arguments and errors as `load_robot`."""
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
