"""Counts the parts of robots, and refuses robots that exceed the limits, alone or together; corners of their solids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.geometry.hulls import CORNERS
from simspark_ros.physics.geometry.transforms import Array, Transform, product
from simspark_ros.physics.model import Shape, ShapeKind
from simspark_ros.robots.description import RobotDescription, RobotError

FRAMES = 4
"""Factor of `max_links` that bounds all links; those without mass are frames, which physics does not have."""

_OF_A_ROBOT = {
    "links with mass": "max_links",
    "joints": "max_joints",
    "solids": "max_shapes",
    "colliding solids": "max_colliding",
    "perceptors, effectors, touch links, visible parts and exclusions": "max_devices",
}

_OF_A_WORLD = {
    "links": "world_links",
    "joints, fixed ones included": "world_joints",
    "colliding solids": "world_colliding",
}


def check_size(robot: RobotDescription, limits: LimitSettings) -> None:
    """Refuse a robot that is too large, by a `RobotError`."""
    counts = _counts(robot)
    for what, setting in _OF_A_ROBOT.items():
        most = getattr(limits, setting)
        if counts[what] > most:
            raise RobotError(f"{robot.file}: the robot has {counts[what]} {what}; {setting} allows {most}")
    if counts["links"] > FRAMES * limits.max_links:
        raise RobotError(f"{robot.file}: the robot has {links_told(counts['links'], limits)}")


def links_told(count: int, limits: LimitSettings) -> str:
    """Words on too many links."""
    return f"{count} links; max_links allows {limits.max_links} with mass, together with frames {FRAMES} times as many"


def check_world_size(robots: Iterable[RobotDescription], limits: LimitSettings) -> None:
    """Refuse robots that are too large together for a world, by a `RobotError`."""
    counts: Counter[str] = Counter()
    for robot in robots:
        counts.update(_counts(robot))
    for what, setting in _OF_A_WORLD.items():
        most = getattr(limits, setting)
        if counts[what] > most:
            raise RobotError(f"the world is full: its robots would have {counts[what]} {what}; {setting} allows {most}")


def _counts(robot: RobotDescription) -> dict[str, int]:
    model = robot.model
    colliding = sum(len(link.collisions) for link in model.links)
    devices = (robot.perceptors, robot.effectors, model.touch_links, robot.visible_parts)
    return {
        "links": len(model.links) + len(model.frames),
        "links with mass": len(model.links),
        "joints": len(model.joints),
        "joints, fixed ones included": len(model.joints) + len(model.fixed_joints),
        "solids": colliding + sum(len(link.visuals) + len(link.surfaces) for link in model.links),
        "colliding solids": colliding,
        "perceptors, effectors, touch links, visible parts and exclusions": sum(map(len, devices))
        + len(robot.self_collision_exclusions),
    }


def corners_of(shape: Shape) -> Array:
    """Corners (8, 3) of the box around a solid along its own axes, in the frame of its link, m."""
    size = shape.size
    if not shape.is_boxed:
        wide = 2.0 * size[0]
        size = (wide, wide, {ShapeKind.SPHERE: wide, ShapeKind.CYLINDER: size[-1]}.get(shape.kind, size[-1] + wide))
    pose = Transform.of(shape.position, shape.rpy)
    corners: Array = pose.position + product(CORNERS * np.array(size), pose.rotation.T)
    return corners
