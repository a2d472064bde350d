"""The catalogue of robots: those of config/robots by name, and a user's own by the path of a YAML file."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.model import ShapeKind
from simspark_ros.robots.description import RobotDescription, RobotError
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
from simspark_ros.robots.urdf.importer import import_urdf

_XACRO = threading.Lock()
"""xacro keeps its state in module variables; robots may be spawned from several threads."""


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, in alphabetical order."""
    return tuple(ROBOTS.names)


def variants(name: str) -> tuple[int, ...]:
    """Heterogeneous types of a robot, in ascending order; arguments and errors as `load_robot`."""
    return tuple(sorted(_read(name)[1].variants))


@cache
def load_robot(name: str, variant: int = 0) -> RobotDescription:
    """The description of one variant of a robot. Loaded once; later calls return the same object.

    Args:
        name: one of `robot_names()`, or the path of a YAML file.
        variant: one of `variants(name)`.

    Raises:
        RobotError: there is no such robot or variant, or one of its files cannot be used.
    """
    path, file = _read(name)
    if variant not in file.variants:
        known = ", ".join(map(str, sorted(file.variants)))
        raise RobotError(f"{path}: variants: robot '{name}' has no variant {variant}; there are: {known}")
    urdf_path = Path(file.model)
    urdf = _document(urdf_path, variant)
    model = import_urdf(
        urdf,
        source=f"{urdf_path.name} of variant {variant}",
        shapes={link: ShapeKind(kind) for link, kind in file.shapes.items()},
        touch_links=[entry.link for _, entry in of_variant(file.touch_links, variant)],
        linear_drag=file.linear_drag,
        angular_drag=file.angular_drag,
    )
    names = ModelNames(path, model)
    for label, link in file.visible_parts.items():
        names.check(link, names.links, "link", f"visible_parts: {label}")
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
        source=name if name in robot_names() else str(path.resolve()),
        self_collision_exclusions=exclusions_of(file, names),
    )


@cache
def _read(name: str) -> tuple[Path, RobotFile]:
    """Path and content of a robot's file, checked as far as possible without its model."""
    try:
        path = ROBOTS.path(name)
        document = ROBOTS.document(path)
    except ConfigurationError as error:
        raise RobotError(str(error)) from None
    try:
        return path, build(RobotFile, document, str(path))
    except ConfigurationError as error:
        raise RobotError(ROBOTS.located(path, str(error))) from None


def _document(path: Path, variant: int) -> str:
    """The URDF text of a model file; a xacro file is processed with `type:=variant`."""
    if not path.is_file():
        raise RobotError(f"{path}: there is no such model file; 'model' is relative to the robot's YAML file")
    if path.suffix != ".xacro":
        return path.read_text(encoding="utf-8")
    # Imported late: robots from plain URDF do without it.
    import xacro

    try:
        with _XACRO:
            return str(xacro.process_file(str(path), mappings={"type": str(variant)}).toprettyxml(indent="  "))
    # xacro evaluates expressions of the file: anything may be raised, and all of it is the file's fault.
    except Exception as error:
        raise RobotError(f"{path}: xacro failed for type:={variant}: {error}") from error
