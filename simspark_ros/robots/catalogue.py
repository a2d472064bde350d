"""The catalogue of robots: those of config/robots by name, and a user's own by the path of a YAML file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.library import is_path
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.model import ShapeKind, SurfaceMaterial
from simspark_ros.robots.adaptation.adapt import adapt
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.kept_models import kept_model
from simspark_ros.robots.kinematics import standing_height
from simspark_ros.robots.parameters import BodyRules, RobotName
from simspark_ros.robots.report import ImportReport
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

MAX_CHANGED = 64
"""Robots with changed parameters that are kept; clients name them."""

_NO_CHANGES: Mapping[str, float] = MappingProxyType({})

_LOADED: dict[tuple[str, int], RobotDescription] = {}


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, in alphabetical order."""
    return tuple(ROBOTS.names)


def variants(name: str) -> tuple[int, ...]:
    """Heterogeneous types of a robot, in ascending order; arguments and errors as `load_robot`."""
    path, document = robot_document(RobotName.parse(name).robot)
    return tuple(sorted(_file(path, document).variants))


@cache
def body_rules(name: str) -> BodyRules:
    """What the bodies of a robot may be; arguments and errors as `load_robot`."""
    path, document = robot_document(name)
    return _file(path, document).body_rules


def drawn_bodies(name: str) -> tuple[int, ...]:
    """Variants that randomly drawn types of a robot are made from; arguments and errors as `load_robot`."""
    path, document = robot_document(name)
    file = _file(path, document)
    return file.drawn_from or (min(file.variants),)


def is_shipped(description: RobotDescription) -> bool:
    """Whether a robot is one of the package, with whatever parameters."""
    return description.source.partition("?")[0] in robot_names()


def load_robot(name: str, variant: int = 0) -> RobotDescription:
    """The description of one variant of a robot. Loaded once; later calls return the same object.

    The files are read here and now, without limits: `foreign.load_foreign` is for those that a client names.

    Args:
        name: one of `robot_names()`, or the path of a YAML file, and perhaps parameters of its body: see `RobotName`.
        variant: one of `variants(name)`; any number for a name that says which of them is changed.

    Raises:
        RobotError: there is no such robot or variant, or one of its files cannot be used.
    """
    if "?" in name:
        return _load_changed(name, variant)
    if (name, variant) not in _LOADED:
        path, document = robot_document(name)
        urdf, original, report = plain_model(path, document, variant, LimitSettings())
        _LOADED[name, variant] = describe(path, document, urdf, variant, original, report)
    return _LOADED[name, variant]


def loaded_robot(name: str, variant: int = 0) -> RobotDescription:
    """A robot of the package, or one whose files have been read by `load_robot` before; errors as there."""
    if is_path(name) and (name, variant) not in _LOADED:
        raise RobotError(f"no robot was loaded from {shown(name)} at the start; name it in a profile")
    return load_robot(name, variant)


@lru_cache(maxsize=MAX_CHANGED)
def _load_changed(name: str, variant: int) -> RobotDescription:
    wish = RobotName.parse(name)
    path, document = robot_document(wish.robot)
    body = variant if wish.body is None else wish.body
    urdf, original, report = plain_model(path, document, body, LimitSettings(), wish.changes)
    description = describe(path, document, urdf, body, original, report)
    return changed(description, wish, variant, body_rules(wish.robot).values(body, wish.changes))


def changed(
    description: RobotDescription, wish: RobotName, variant: int, parameters: Mapping[str, float]
) -> RobotDescription:
    """The description of a body with changed parameters as what it is: another robot, and of the type `variant`."""
    source = str(replace(wish, robot=description.source))
    return replace(description, variant=variant, source=source, parameters=parameters)


def model_text(
    path: Path, document: Mapping[str, Any], variant: int, changes: Mapping[str, float] = _NO_CHANGES
) -> str:
    """The URDF text of a robot's model; a xacro file is processed with `type:=variant`.

    Args:
        path: of the robot's YAML file.
        document: its content, with that of the files it is based on.
        variant: that is wanted.
        changes: parameters of it that are others.

    Raises:
        RobotError: the robot has no such variant or parameters, or the model file cannot be used.
    """
    file = _file(path, document)
    if variant not in file.variants:
        known = ", ".join(map(str, sorted(file.variants)))
        raise RobotError(f"{path}: variants: robot '{path.stem}' has no variant {variant}; there are: {known}")
    try:
        file.body_rules.values(variant, changes)
    except ValueError as error:
        raise RobotError(f"{path}: parameters: {error}") from None
    model = Path(file.model)
    if not model.is_file():
        raise RobotError(f"{model}: there is no such model file; 'model' is relative to the robot's YAML file")
    if changes and model.suffix != ".xacro":
        raise RobotError(f"{path}: parameters: {model.name} is no xacro file, and has no others than its own")
    try:
        text = model.read_text(encoding="utf-8") if model.suffix != ".xacro" else _processed(model, variant, changes)
    except (OSError, UnicodeDecodeError) as error:
        raise RobotError(f"{model}: cannot be read as UTF-8 text: {error}") from None
    return framed(text, path, document, variant)


def plain_model(
    path: Path,
    document: Mapping[str, Any],
    variant: int,
    limits: LimitSettings,
    changes: Mapping[str, float] = _NO_CHANGES,
) -> tuple[str, str, ImportReport]:
    """The model of a robot's file as `import_urdf` takes it, as it is written, and a report of how it was understood.

    Models of the package are plain URDF, those of others may have meshes, on which there are limits. Arguments and
    errors as `model_text`.
    """
    text, report = model_text(path, document, variant, changes), ImportReport()
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
        original=original or urdf,
        report=report or ImportReport(),
        file=str(path),
        source=path.stem if path.stem in robot_names() and path == ROBOTS.path(path.stem) else place,
        self_collision_exclusions=exclusions_of(file, names),
        motors=file.motors,
        motor_data=file.motor_data,
        body=variant,
        parameters=file.body_rules.values(variant, {}),
    )


def _material(file: RobotFile, link: str) -> SurfaceMaterial | None:
    given = file.materials.get(link)
    return None if given is None else SurfaceMaterial(given.friction, given.restitution)


def _processed(model: Path, variant: int, changes: Mapping[str, float]) -> str:
    return process_xacro(model, variant, changes) if changes else _processed_variant(model, variant)


@cache
def _processed_variant(model: Path, variant: int) -> str:
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
