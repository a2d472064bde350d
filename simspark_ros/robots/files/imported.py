"""Robots read from files, ready for the importer: plain URDF, the content of a YAML file, and a report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.robot_file import ROBOTS, RobotFile, of_variant
from simspark_ros.robots.files.xml_text import xml_text
from simspark_ros.robots.formats.urdf.importer import with_frame
from simspark_ros.robots.formats.xacro.file import is_xacro, process_xacro
from simspark_ros.robots.formats.xacro.kept_models import kept_model, state_of

NO_CHANGES: Mapping[str, float] = MappingProxyType({})
NO_ARGUMENTS: Mapping[str, str] = MappingProxyType({})


class Imported(NamedTuple):
    """A robot that has been read.

    Attributes:
        urdf: model in plain URDF, which names no other file.
        document: content of the robot's YAML file, or made content for a robot without one.
        report: report on the parts that were understood, approximated and dropped.
        original: model as its maker wrote it, with the names of meshes.
        mjcf: text of `ArticulatedModel.mjcf`.
    """

    urdf: str
    document: dict[str, Any]
    report: ImportReport
    original: str
    mjcf: str = ""


def import_yaml(
    path: Path, document: dict[str, Any], variant: int, limits: LimitSettings, changes: Mapping[str, float] = NO_CHANGES
) -> Imported:
    """A variant of the robot of a YAML file, with the sensors and motors in the file's lists.

    Models of the package are plain URDF; other models may have meshes, which `limits` bounds. Other arguments and
    errors as `model_text`.
    """
    original, model = model_text(path, document, variant, changes), Path(document["model"])
    if model.parent == resource("urdf"):
        # Their names say what they are: no file is read once more.
        return Imported(original, document, ImportReport(is_expanded=model.suffix == ".xacro"), original)
    report = ImportReport(is_expanded=is_for_xacro(model))
    # Not at the top: most servers have only robots of the package, and start in less time without these modules.
    from simspark_ros.robots.files.group_states import home_of_states
    from simspark_ros.robots.formats.adaptation.adapt import adapt

    meshes = robot_file(path, document).mesh_collisions
    commanded = set(_texts(document.get("effectors", [])))
    adapted = adapt(original, model, limits, report, meshes, commanded)
    # Surfaces belong to the body, unlike devices, which the YAML file lists.
    document = {**document, "materials": {**adapted.devices.materials, **document.get("materials", {})}}
    if "home" not in document and (home := home_of_states(model, adapted.root, limits, report)):
        document = {**document, "home": home}
    return Imported(adapted.urdf, document, report, original)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a part of a YAML document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def read_urdf(
    path: Path,
    _variant: int,
    limits: LimitSettings,
    meshes: MeshCollisions,
    arguments: Mapping[str, str] = NO_ARGUMENTS,
) -> Imported:
    """The robot of a URDF or xacro file, with the sensors and motors that it declares; arguments as `read_format`.

    Raises:
        RobotError: the model cannot be used.
    """
    from simspark_ros.robots.files.group_states import home_of_states
    from simspark_ros.robots.formats.adaptation.adapt import adapt

    report = ImportReport(is_expanded=is_for_xacro(path))
    plain = model_text(path, {"model": str(path), "xacro_arguments": arguments}, 0)
    adapted = adapt(plain, path, limits, report, meshes)
    document = {**adapted.document(path), "home": home_of_states(path, adapted.root, limits, report)}
    urdf, original = (framed(text, path, document, 0) for text in (adapted.urdf, plain))
    return Imported(urdf, document, report, original)


def model_text(path: Path, document: Mapping[str, Any], variant: int, changes: Mapping[str, float] = NO_CHANGES) -> str:
    """The URDF text of a robot's model; what `is_xacro` is processed with `type:=variant`.

    Args:
        path: path of the robot's YAML file.
        document: content of the YAML file and of its base files.
        variant: number of the wanted variant.
        changes: changed parameters of the variant.

    Raises:
        RobotError: the robot has no such variant or parameters, or the model file cannot be used.
    """
    file = robot_file(path, document)
    if variant not in file.variants:
        known = ", ".join(map(str, sorted(file.variants)))
        raise RobotError(f"{path}: variants: robot '{path.stem}' has no variant {variant}; use one of: {known}")
    try:
        file.body_rules.values(variant, changes)
    except ValueError as error:
        raise RobotError(f"{path}: parameters: {error}") from None
    model = Path(file.model)
    if not model.is_file():
        raise RobotError(f"{model}: the model file does not exist; 'model' is relative to the robot's YAML file")
    note_file(model)
    # Models of the package need not be read: they are kept processed.
    text = "" if model.suffix == ".xacro" else xml_text(model)
    if is_xacro(model.name, text):
        text = _processed(model, variant, changes, file.xacro_arguments)
    elif changes or file.xacro_arguments:
        raise RobotError(f"{path}: parameters: only xacro files take parameters, and {model.name} is not one")
    return framed(text, path, document, variant)


def is_for_xacro(model: Path) -> bool:
    """Whether a model file that can be read is for xacro, so that lines count in the processed text."""
    return model.suffix == ".xacro" or is_xacro(model.name, xml_text(model))


def framed(text: str, path: Path, document: Mapping[str, Any], variant: int) -> str:
    """A URDF text with the frames that a robot's file adds to a variant; arguments and errors as `model_text`."""
    for _, frame in of_variant(robot_file(path, document).frames, variant):
        roll, pitch, yaw = map(math.radians, frame.rpy_deg)
        text = with_frame(text, frame.name, frame.link, frame.position, (roll, pitch, yaw))
    return text


def robot_file(path: Path, document: Mapping[str, Any]) -> RobotFile:
    """The content of a robot's file, checked as far as possible without its model.

    Variants are read one after the other from one document, which nobody changes, so it is checked only once.
    """
    global _checked
    # Read the variable once, as other threads load robots, too.
    last = _checked
    if last is None or last[0] != path or last[1] is not document:
        try:
            _checked = last = path, document, build(RobotFile, document, str(path))
        except ConfigurationError as error:
            raise RobotError(ROBOTS.located(path, str(error))) from None
    return last[2]


_checked: tuple[Path, Mapping[str, Any], RobotFile] | None = None


def _processed(model: Path, variant: int, changes: Mapping[str, float], arguments: Mapping[str, str]) -> str:
    if changes or arguments or model.parent != resource("urdf"):
        return process_xacro(model, variant, changes, arguments)
    return _model_of_package(model, variant)


@cache
def _model_of_package(model: Path, variant: int) -> str:
    """The URDF of a model of the package, kept: robots that are based on one another share a model file."""
    try:
        state = _state_of_package()
    # The unreadable file may belong to another model; if it belongs to this model, xacro names it.
    except OSError:
        return process_xacro(model, variant)
    return kept_model(model, variant, state)


@cache
def _state_of_package() -> str:
    return state_of((resource("urdf"), resource("config", "robots")))
