"""Robots of the package with more devices than their file mounts on them, as a world file may ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from simspark_ros.configuration.errors import shown
from simspark_ros.robots.catalogue import describe, model_text, robot_document, robot_names
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.robot_file import LISTS

SIGN = " + "
"""Stands in the source of such a robot between its name and what it has more, as JSON."""


def with_more(name: str, variant: int, more: Mapping[str, Any]) -> RobotDescription:
    """A robot of the package with longer lists.

    Args:
        name: of the robot.
        variant: its type.
        more: `perceptors`, `effectors`, `frames` and `touch_links` as in a robot's YAML file.

    Raises:
        RobotError: there is no such robot, or it cannot have these.
    """
    try:
        text = json.dumps(more)
    except TypeError as error:
        raise RobotError(f"robot '{name}': more: holds a value that is no number, text or list: {error}") from None
    return _described(f"{name}{SIGN}{text}", variant)


def described_extended(source: str, variant: int) -> RobotDescription:
    """The same by the source of the description."""
    try:
        return _described(source, variant)
    except ValueError:
        raise RobotError(f"{shown(source)} describes no robot") from None


@lru_cache(maxsize=64)
def _described(source: str, variant: int) -> RobotDescription:
    name, _, text = source.partition(SIGN)
    if name not in robot_names():
        raise RobotError(f"unknown robot {shown(name)}; there are: {', '.join(robot_names())}")
    path, document = robot_document(name)
    more = json.loads(text)
    for key, entries in more.items():
        if key not in LISTS or not isinstance(entries, list):
            raise RobotError(f"robot '{name}': more {shown(key)}: must be a list, one of: {', '.join(LISTS)}")
        document = {**document, key: [*document.get(key, []), *entries]}
    described = describe(path, document, model_text(path, document, variant), variant)
    return replace(described, source=source)
