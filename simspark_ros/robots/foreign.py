"""Robots from files or texts that a client sends, read by a process with limits: see `configuration.foreign`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from simspark_ros.configuration.foreign import as_file, ask, only_limits
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import changed, describe, load_robot, robot_names
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.parameters import RobotName

FORMATS = {".yaml": "simspark", ".urdf": "urdf", ".xacro": "xacro"}
"""Endings of files that can be spawned, and the names of their formats."""

_NAME = 48
"""Characters of the name of a robot that has it from its model."""

_READER = "simspark_ros.robots.foreign_reader"


def load_foreign(path: Path, variant: int, limits: LimitSettings, wish: RobotName | None = None) -> RobotDescription:
    """The description of a variant of the robot of a YAML, URDF or xacro file; takes up to `robot_file_time`.

    `wish` has changed parameters of its body.

    Loaded once, as long as few others come; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    return _load(path.resolve(), variant, only_limits(limits), str(wish or ""))


def load_known(name: str, variant: int) -> RobotDescription:
    """A robot as a simulator names it to others: one of the package, or the path of a file, read by `load_foreign`.

    For processes that follow a simulator: its limits are not known there, the default ones hold.

    Raises:
        RobotError: there is no such robot, or its files cannot be used.
    """
    wish = RobotName.parse(name)
    if wish.robot in robot_names() or Path(wish.robot).suffix not in FORMATS:
        return load_robot(name, variant)
    return load_foreign(Path(wish.robot), variant, LimitSettings(), wish)


def load_foreign_text(text: str, limits: LimitSettings) -> RobotDescription:
    """The same for a text: URDF if it begins as XML does, else YAML.

    Not xacro, which could show files of this machine to clients of another one.
    """
    is_xml = text.lstrip("\ufeff \t\r\n").startswith("<")
    with as_file(text, ".urdf" if is_xml else ".yaml", limits, RobotError) as path:
        return _read(path, 0, only_limits(limits))


def _read(path: Path, variant: int, limits: LimitSettings, name: str = "") -> RobotDescription:
    wish = RobotName.parse(name)
    body = variant if wish.body is None else wish.body
    read = ask(_READER, path, [body, dict(wish.changes)], limits, RobotError)
    # JSON has no numbers as keys.
    document = {**read["document"], "variants": {number: {} for number in read["variants"]}}
    description = describe(path, document, read["urdf"], body)
    if path.suffix != ".yaml":
        description = replace(description, name=description.model.name[:_NAME])
    parameters: Mapping[str, float] = read["parameters"]
    if wish.changes or wish.body is not None:
        return changed(description, wish, variant, parameters)
    return replace(description, parameters=parameters)


_load = lru_cache(maxsize=32)(_read)
