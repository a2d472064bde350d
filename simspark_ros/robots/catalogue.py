"""The catalogue of robots: shipped robots of config/robots by name, a user's robots by the path of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.model import ShapeKind, SurfaceMaterial
from simspark_ros.robots.body.kinematics import standing_height
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.imported import MODELS, import_model, import_yaml, robot_file
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.robot_file import (
    ROBOTS,
    ModelNames,
    RobotFile,
    effectors_of,
    exclusions_of,
    is_robot_file,
    of_variant,
    perceptors_of,
    touch_links_of,
)
from simspark_ros.robots.formats.urdf.importer import import_urdf
from simspark_ros.robots.types.parameters import BodyRules, RobotName

MAX_CHANGED = 32
"""Most robots with changed parameters that are kept: clients choose the parameters."""

_LOADED: dict[tuple[str, int], RobotDescription] = {}


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, in alphabetical order."""
    return tuple(ROBOTS.names)


def variants(name: str) -> tuple[int, ...]:
    """Heterogeneous types of a robot, in ascending order; arguments and errors as `load_robot`."""
    return (0,) if name.endswith(MODELS) else _variants(RobotName.parse(name).robot)


@cache
def _variants(name: str) -> tuple[int, ...]:
    path, document = robot_document(name)
    return tuple(sorted(robot_file(path, document).variants))


@cache
def body_rules(name: str) -> BodyRules:
    """Rules for the bodies of a robot; arguments and errors as `load_robot`."""
    path, document = robot_document(name)
    return robot_file(path, document).body_rules


def drawn_bodies(name: str) -> tuple[int, ...]:
    """Variants on which randomly drawn types of a robot are based; arguments and errors as `load_robot`."""
    path, document = robot_document(name)
    file = robot_file(path, document)
    return file.drawn_from or (min(file.variants),)


def is_shipped(description: RobotDescription) -> bool:
    """Whether a robot belongs to the package, with any parameters."""
    return description.source.partition("?")[0] in robot_names()


def load_robot(name: str, variant: int = 0) -> RobotDescription:
    """The description of one variant of a robot. Loaded once; later calls return the same object.

    The files are read at once in this process, without limits; `foreign.load_foreign` is for files named by clients.

    Args:
        name: one of `robot_names()`, or the path of a YAML, URDF or xacro file, optionally with parameters of the body,
            see `RobotName`.
        variant: one of `variants(name)`; any number, which becomes the robot's type, if the name has a variant.

    Raises:
        RobotError: there is no such robot or variant, or one of its files cannot be used.
    """
    if "?" in name:
        return _load_changed(name, variant)
    if (name, variant) not in _LOADED:
        if name.endswith(MODELS):
            path = Path(name)
            read = import_model(path, LimitSettings())
        else:
            path, document = robot_document(name)
            read = import_yaml(path, document, variant, LimitSettings())
        _LOADED[name, variant] = describe(path, read.document, read.urdf, variant, read.original, read.report)
    return _LOADED[name, variant]


def loaded_robot(name: str, variant: int = 0) -> RobotDescription:
    """A robot of the package, or a robot whose files have been read before; errors as `load_robot`."""
    if is_robot_file(name) and (name, variant) not in _LOADED:
        raise RobotError(f"no robot was loaded from {shown(name)} at the start; name it in a profile")
    return load_robot(name, variant)


def keep(name: str, description: RobotDescription) -> None:
    """Make a robot that has been read elsewhere known to `loaded_robot`, by the path that names it."""
    _LOADED[name, description.variant] = description


@lru_cache(maxsize=MAX_CHANGED)
def _load_changed(name: str, variant: int) -> RobotDescription:
    wish = RobotName.parse(name)
    path, document = robot_document(wish.robot)
    body = variant if wish.body is None else wish.body
    read = import_yaml(path, document, body, LimitSettings(), wish.changes)
    description = describe(path, document, read.urdf, body, read.original, read.report)
    return changed(description, wish, variant, body_rules(wish.robot).values(body, wish.changes))


def changed(
    description: RobotDescription, wish: RobotName, variant: int, parameters: Mapping[str, float]
) -> RobotDescription:
    """The description of a body with changed parameters, as another robot of the type `variant`."""
    source = str(replace(wish, robot=description.source))
    return replace(description, variant=variant, source=source, parameters=parameters)


def describe(
    path: Path,
    document: Mapping[str, Any],
    urdf: str,
    variant: int,
    original: str = "",
    report: ImportReport | None = None,
) -> RobotDescription:
    """The description of a robot from the content of its files.

    Args:
        path: path of the robot's file.
        document: content of the robot's YAML file and of its base files, or made content for robots without one.
        urdf: text of the robot's model.
        variant: number of the wanted variant.
        original: text of the model as it was read, if different.
        report: report on the reading of the model.

    Raises:
        RobotError: the files cannot be used.
    """
    file = robot_file(path, document)
    place = str(path.resolve())
    if not is_unicode(place):
        raise RobotError(f"{place}: the file's path must be UTF-8, so that clients can be told")
    model = import_urdf(
        urdf,
        source=f"{Path(file.model).name} of variant {variant}",
        shapes={link: ShapeKind(kind) for link, kind in file.shapes.items()},
        touch_links=[entry.link for _, entry in of_variant(file.touch_links, variant)],
        linear_drag=file.linear_drag,
        angular_drag=file.angular_drag,
    )
    names = ModelNames(path, model)
    touch_links = touch_links_of(file, variant, names)
    if touch_links != model.touch_links:
        model = replace(model, touch_links=touch_links)
    for link in file.materials:
        names.check(link, names.links, "link", "materials")
    if file.materials:
        model = replace(model, links=tuple(replace(link, material=_material(file, link.name)) for link in model.links))
    for label, link in file.visible_parts.items():
        names.check_word(label, "visible_parts")
        names.check(link, names.links, "link", f"visible_parts: {cut(label, 40)}")
    for index, ring in enumerate(file.lights):
        names.check(ring.link, names.links, "link", f"lights[{index}]: link")
    return RobotDescription(
        name=path.stem,
        variant=variant,
        model=model,
        perceptors=perceptors_of(file, variant, names),
        effectors=effectors_of(file, variant, names),
        visible_parts=file.visible_parts,
        spawn_height=standing_height(model),
        urdf=urdf,
        original="" if original == urdf else original,
        report=report or ImportReport(),
        file=str(path),
        source=path.stem if path == resource("config", "robots") / f"{path.stem}.yaml" else place,
        self_collision_exclusions=exclusions_of(file, names),
        motors=file.motors,
        motor_data=file.motor_data,
        body=variant,
        parameters=file.body_rules.values(variant, {}),
        lights=file.lights,
    )


def _material(file: RobotFile, link: str) -> SurfaceMaterial | None:
    given = file.materials.get(link)
    return None if given is None else SurfaceMaterial(given.friction, given.restitution)


@cache
def robot_document(name: str) -> tuple[Path, dict[str, Any]]:
    """Path and content of a robot's YAML file; arguments and errors as `load_robot`."""
    try:
        path = ROBOTS.path(name)
        return path, ROBOTS.document(path)
    except ConfigurationError as error:
        raise RobotError(str(error)) from None
