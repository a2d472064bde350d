"""The catalogue of robots: shipped robots of config/robots by name, a user's robots by the path of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.league_models import league_file
from simspark_ros.configuration.read_files import kept_until_edited
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.format_table import URDF
from simspark_ros.robots.files.imported import robot_file
from simspark_ros.robots.files.reading import read_robot, yaml_document
from simspark_ros.robots.files.robot_file import LISTS, ROBOTS, RobotFile, is_robot_file
from simspark_ros.robots.types.parameters import BodyRules, RobotName

MAX_OWN = 64
"""Most robots of users' files, and robots with changed parameters, that are kept; clients name them."""

_KEPT: dict[tuple[str, int], RobotDescription] = {}


def robot_names() -> tuple[str, ...]:
    """Names of the shipped robots, in alphabetical order."""
    return tuple(ROBOTS.names)


def variants(name: str) -> tuple[int, ...]:
    """Heterogeneous types of a robot, in ascending order; arguments and errors as `load_robot`."""
    robot = RobotName.parse(name).robot
    return (0,) if robot.endswith(URDF) else tuple(sorted(_file(robot).variants))


def body_rules(name: str) -> BodyRules:
    """Rules for the bodies of a robot; arguments and errors as `load_robot`."""
    return _file(name).body_rules


def drawn_bodies(name: str) -> tuple[int, ...]:
    """Variants on which randomly drawn types of a robot are based; arguments and errors as `load_robot`."""
    file = _file(name)
    return file.drawn_from or (min(file.variants),)


def is_shipped(description: RobotDescription) -> bool:
    """Whether a robot belongs to the package, with any parameters."""
    return description.source.partition("?")[0] in robot_names()


def load_robot(name: str, variant: int = 0) -> RobotDescription:
    """The description of one variant of a robot. Loaded once; a user's own files are read again when they were edited.

    The files are read at once in this process, without limits; `foreign.load_foreign` is for files named by clients.

    Args:
        name: one of `robot_names()`, a robot of the league since 2026, or the path of a YAML, URDF or xacro file,
            optionally with parameters of the body, see `RobotName`.
        variant: one of `variants(name)`; any number, which becomes the robot's type, if the name has a variant.

    Raises:
        RobotError: there is no such robot or variant, or one of its files cannot be used.
    """
    return (_own if "?" in name or is_robot_file(name) else _shipped)(name, variant)


def loaded_robot(name: str, variant: int = 0) -> RobotDescription:
    """A robot of the package, or a robot that is kept; errors as `load_robot`."""
    if not is_robot_file(name):
        return load_robot(name, variant)
    if (name, variant) not in _KEPT:
        raise RobotError(f"no robot was loaded from {shown(name)} at the start; name it in a profile")
    return _KEPT[name, variant]


def keep(name: str, description: RobotDescription) -> None:
    """Make a robot that has been read elsewhere known to `loaded_robot`, by the path that names it."""
    _KEPT[name, description.variant] = description


def robot_path(name: str) -> Path:
    """The file of a robot; arguments and errors as `load_robot`."""
    try:
        return Path(name) if name.endswith(URDF) else league_file(name) or ROBOTS.path(name)
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


def _read(name: str, variant: int) -> RobotDescription:
    wish = RobotName.parse(name)
    return read_robot(robot_path(wish.robot), variant, wish=wish)


_shipped = cache(_read)
_own = kept_until_edited(MAX_OWN)(_read)


@kept_until_edited(MAX_OWN)
def _file(name: str) -> RobotFile:
    path = robot_path(name)
    return robot_file(path, yaml_document(path))


_SIGN = " + "
"""Separator, in the source of such a robot, between its name and its additions as JSON."""


def with_more(name: str, variant: int, more: Mapping[str, Any]) -> RobotDescription:
    """A robot of the package with additions to its lists.

    Args:
        name: name of the robot, optionally with parameters of its body, as for `load_robot`.
        variant: type of the robot.
        more: additional `perceptors`, `effectors`, `frames` and `touch_links` as in a robot's YAML file.

    Raises:
        RobotError: there is no such robot, or it cannot have these additions.
    """
    try:
        return _described(name, variant, json.dumps(more))
    except TypeError as error:
        raise RobotError(f"robot '{name}': more: holds a value that is not a number, text or list: {error}") from None


# A description takes up to a megabyte; a world seldom has more such robots.
@lru_cache(maxsize=16)
def _described(name: str, variant: int, more: str) -> RobotDescription:
    wish = RobotName.parse(name)
    if wish.robot not in robot_names():
        raise RobotError(f"unknown robot {shown(wish.robot)}; use one of: {', '.join(robot_names())}")
    longer = json.loads(more)
    for key, entries in longer.items():
        if key not in LISTS or not isinstance(entries, list):
            raise RobotError(f"robot '{name}': more: {shown(key)} must be a list, and one of {', '.join(LISTS)}")
    described = read_robot(robot_path(wish.robot), variant, wish=wish, more=longer)
    return replace(described, source=f"{name}{_SIGN}{more}")
