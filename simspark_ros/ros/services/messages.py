"""Values of entities, poses, bounds and worlds as fields of messages of simulation_interfaces, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Vector3

from simspark_ros.ros.conversions import set_quaternion, set_xyz, xyz
from simspark_ros.simulation.entities import bounds
from simspark_ros.simulation.entities.bounds import Box, Overlap
from simspark_ros.simulation.entities.filters import EntityFilter, TagFilter
from simspark_ros.simulation.entities.name_pattern import NamePattern, PatternError
from simspark_ros.simulation.loading.spawning import SpawnPose
from simspark_ros.worlds.errors import CommandRejectedError

EMPTY, BOX, CONVEX_HULL, SPHERE = 0, 1, 2, 3
"""Types of simulation_interfaces/Bounds."""

_OVERLAPS: dict[int, Callable[[list[tuple[float, float, float]]], Overlap]] = {
    BOX: bounds.box,
    CONVEX_HULL: bounds.convex_hull,
    SPHERE: bounds.sphere,
}


def set_pose(message: Any, pose: SpawnPose) -> None:
    """Write a geometry_msgs/Pose."""
    set_xyz(message.position, pose.position)
    set_quaternion(message.orientation, pose.quaternion)


def set_box(message: Any, box: Box | None) -> None:
    """Write a Bounds, greatest corner first; None is unbounded."""
    message.type = EMPTY if box is None else BOX
    message.points = []
    if box is not None:
        message.points = [Vector3(x=x, y=y, z=z) for x, y, z in (corner.tolist() for corner in reversed(box))]


def tag_filter(message: Any) -> TagFilter:
    """A TagsFilter; `CommandRejectedError` for an unknown mode."""
    return TagFilter(frozenset(message.tags), int(message.filter_mode))


def entity_filter(message: Any) -> EntityFilter:
    """An EntityFilters.

    Raises:
        CommandRejectedError: it cannot be used; the message says which part.
    """
    kind = int(message.bounds.type)
    if kind != EMPTY and kind not in _OVERLAPS:
        raise CommandRejectedError(f"bounds: type must be {EMPTY} to {SPHERE}, not {kind}")
    try:
        name = NamePattern(message.filter) if message.filter else None
    except PatternError as error:
        raise CommandRejectedError(f"filter: {error}") from None
    return EntityFilter(
        name,
        frozenset(int(one.category) for one in message.categories),
        tag_filter(message.tags),
        _OVERLAPS[kind]([xyz(point) for point in message.bounds.points]) if kind != EMPTY else None,
    )
