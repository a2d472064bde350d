"""Robots from files or texts that a client sends, read by a process with limits: see `configuration.foreign`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from simspark_ros.configuration.foreign import as_file, ask, only_limits
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import describe, load_robot, robot_names
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.extended import SIGN, described_extended
from simspark_ros.robots.objects import PREFIX, described_object

FORMATS = {".yaml": "simspark", ".urdf": "urdf", ".xacro": "xacro"}
"""Endings of files that can be spawned, and the names of their formats."""

_NAME = 48
"""Characters of the name of a robot that has it from its model."""

_READER = "simspark_ros.robots.foreign_reader"


def load_foreign(path: Path, variant: int, limits: LimitSettings) -> RobotDescription:
    """The description of a variant of the robot of a YAML, URDF or xacro file; takes up to `robot_file_time`.

    Loaded once, as long as few others come; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    return _load(path.resolve(), variant, only_limits(limits))


def load_known(name: str, variant: int) -> RobotDescription:
    """A robot as a simulator names it to others, by the source of its description.

    That is one of the package, an object, or the path of a file, read by `load_foreign`.

    For processes that follow a simulator: its limits are not known there, the default ones hold.

    Raises:
        RobotError: there is no such robot, or its files cannot be used.
    """
    if name.startswith(PREFIX):
        return described_object(name)
    if SIGN in name:
        return described_extended(name, variant)
    if name in robot_names() or Path(name).suffix not in FORMATS:
        return load_robot(name, variant)
    return load_foreign(Path(name), variant, LimitSettings())


def load_foreign_text(text: str, limits: LimitSettings) -> RobotDescription:
    """The same for a text: URDF if it begins as XML does, else YAML.

    Not xacro, which could show files of this machine to clients of another one.
    """
    is_xml = text.lstrip("\ufeff \t\r\n").startswith("<")
    with as_file(text, ".urdf" if is_xml else ".yaml", limits, RobotError) as path:
        return _read(path, 0, only_limits(limits))


def _read(path: Path, variant: int, limits: LimitSettings) -> RobotDescription:
    read = ask(_READER, path, [variant], limits, RobotError)
    # JSON has no numbers as keys.
    document = {**read["document"], "variants": {number: {} for number in read["variants"]}}
    description = describe(path, document, read["urdf"], variant)
    return description if path.suffix == ".yaml" else replace(description, name=description.model.name[:_NAME])


_load = lru_cache(maxsize=32)(_read)
