"""Robots of the package with additional devices, as a world file may ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from simspark_ros.configuration.errors import shown
from simspark_ros.robots.catalogue import robot_names, robot_path
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.reading import read_robot
from simspark_ros.robots.files.robot_file import LISTS
from simspark_ros.robots.types.parameters import RobotName

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
        raise RobotError(f"robot '{name}': more: holds a value that is no number, text or list: {error}") from None


# A description takes up to a megabyte; a world seldom has more such robots.
@lru_cache(maxsize=16)
def _described(name: str, variant: int, more: str) -> RobotDescription:
    wish = RobotName.parse(name)
    if wish.robot not in robot_names():
        raise RobotError(f"unknown robot {shown(wish.robot)}; there are: {', '.join(robot_names())}")
    longer = json.loads(more)
    for key, entries in longer.items():
        if key not in LISTS or not isinstance(entries, list):
            raise RobotError(f"robot '{name}': more {shown(key)}: must be a list, one of: {', '.join(LISTS)}")
    described = read_robot(robot_path(wish.robot), variant, wish=wish, more=longer)
    return replace(described, source=f"{name}{_SIGN}{more}")
