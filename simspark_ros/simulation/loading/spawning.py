"""Adds robots on request: names, files and poses are checked before the world is touched."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.motion.wheels.dragging import dragging
from simspark_ros.motion.wheels.skidding import skidding
from simspark_ros.perceptors.rays import rays_of
from simspark_ros.physics.engine import Array, Limits
from simspark_ros.physics.geometry.rotations import (
    heading_of,
    quaternion_from_rotation,
    rotations_from_quaternions,
    upright,
)
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.physics.model import Vector
from simspark_ros.robots.body.kinematics import standing_point
from simspark_ros.robots.body.size import check_world_size
from simspark_ros.robots.catalogue import is_shipped, robot_names
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.simulation.loading.robot_resources import RobotWord, SpawnError, SpawnRefusal, named_resource
from simspark_ros.worlds.errors import CommandRejectedError, UnusableRobotError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_log = logging.getLogger(__name__)

FIXED_ENTITIES = ("field", "ball")
"""Entities that are always there and cannot be removed."""

_OWN_NAME = 48
_FAR = Limits.distance
_ROOM, _ROWS, _COLUMNS = 1.0, 8, 9
"""Robots without a wanted place stand in rows: distance of two neighbours, m, number of rows, and of columns to each
side. Robots much closer together slow physics down."""


class SpawnPose(NamedTuple):
    """Wanted pose of a robot.

    Attributes:
        position: place of the point between its feet, world frame, m.
        quaternion: rotation from the robot's frame to the world's, x, y, z, w.
    """

    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]


def wanted_pose(frame: str, position: Sequence[float], orientation: Sequence[float]) -> SpawnPose | None:
    """Check a pose that may be left out; arguments and errors as `checked_pose`.

    Returns:
        The pose, or None for the default (no frame, position zero, orientation zero or identity): any free place.
    """
    pose = checked_pose(frame, position, orientation)
    return None if not frame and not any(pose.position) and abs(pose.quaternion[3]) == 1.0 else pose


def checked_pose(frame: str, position: Sequence[float], orientation: Sequence[float]) -> SpawnPose:
    """Check a pose.

    Args:
        frame: frame of the pose: empty, `world` or `map`, all the same.
        position: (3,) place of the point between the feet, m.
        orientation: (4,) quaternion x, y, z, w; all zero is no rotation.

    Raises:
        SpawnError: the pose is not finite, no rotation, far away, in the ground, or in another frame.
    """
    x, y, z = position
    quaternion = np.array(orientation, dtype=float)
    if frame not in ("", "world", "map"):
        raise _bad_pose(f"frame '{cut(frame, 80)}' is unknown; use 'map' or leave it empty")
    if not (all(map(math.isfinite, position)) and np.isfinite(quaternion).all()):
        raise _bad_pose("the pose is not finite; give finite numbers")
    if not quaternion.any():
        quaternion[3] = 1.0
    # Scaled first: squares of very large numbers would leave the range of floats.
    largest = float(np.abs(quaternion).max())
    length = largest * math.hypot(*quaternion / largest)
    if abs(length - 1.0) > 1e-3:
        raise _bad_pose(f"the orientation has length {length:.3g}; give a unit quaternion")
    if max(map(abs, position)) > _FAR or z < 0:
        raise _bad_pose(
            f"({x:g}, {y:g}, {z:g}) is outside of the world: at most {_FAR:g} m away and not below the ground"
        )
    qx, qy, qz, qw = (quaternion / length).tolist()
    return SpawnPose((x, y, z), (qx, qy, qz, qw))


def _bad_pose(text: str) -> SpawnError:
    return SpawnError(SpawnRefusal.INVALID_POSE, text)


def spawn(
    world: World,
    description: RobotDescription,
    limits: LimitSettings,
    name: str = "",
    renaming: bool = True,
    pose: SpawnPose | None = None,
) -> Robot:
    """Add a robot, completely or not at all. Runs in the simulation's thread.

    Args:
        world: the world that the robot joins.
        description: description of the robot.
        limits: limits of the world; robots of the package are added beyond them, too.
        name: wanted name, checked by `check_name`; empty for any.
        renaming: whether the robot may get another name.
        pose: wanted pose; None = a free place near the one where classic robots appear.

    Raises:
        SpawnError: name taken, place taken, the world is full, or foreign robots have made the engine fail too often.
    """
    if not is_shipped(description):
        check_foreign(world, description, limits)
    taken = name in world.names_in_use or name in FIXED_ENTITIES
    if (not name or taken) and not renaming:
        what = f"the name '{name}' is taken" if name else "the request has no name"
        raise SpawnError(SpawnRefusal.NAME_NOT_UNIQUE, f"{what}; choose another one or set allow_renaming")
    if name in FIXED_ENTITIES or not name:
        name = f"{name}_2" if name else name_of(description)
    name = world.free_name(name)
    try:
        robot = _add(world, description, name, pose)
        for text in (*description.report.warnings, *dragging(description), *skidding(description)):
            _warn(description.file or description.name, text)
        return robot
    except UnusableRobotError as error:
        raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, str(error)) from None
    except CommandRejectedError as error:
        raise SpawnError(SpawnRefusal.OPERATION_FAILED, str(error)) from None


@lru_cache(256)
def _warn(robot: str, text: str) -> None:
    """Warn once of a robot's file, however often the robot is added."""
    _log.warning("%s: %s", robot, text)


def check_foreign(
    world: World, description: RobotDescription, limits: LimitSettings, leaving: Robot | None = None
) -> None:
    """Refuse a robot from elsewhere for which there is no room, even when another one leaves; errors as in `spawn`."""
    if world.engine.worn:
        raise SpawnError(
            SpawnRefusal.OPERATION_FAILED,
            f"{description.file}: such robots have made the engine fail too often (max_failures of its preset); only "
            f"robots of the package can be added now: {', '.join(robot_names())}",
        )
    robots = [description, *(robot.description for robot in world.robots.values() if robot is not leaving)]
    try:
        check_world_size(robots, limits)
    except RobotError as error:
        raise SpawnError(SpawnRefusal.OPERATION_FAILED, str(error)) from None
    if (rays := sum(map(rays_of, robots))) > limits.world_rays:
        raise SpawnError(
            SpawnRefusal.OPERATION_FAILED,
            f"the world is full: its robots would cast {rays} rays in a cycle; world_rays allows {limits.world_rays}",
        )


def name_of(description: RobotDescription) -> str:
    """A valid name for a robot that is given none, after the name of its file."""
    return re.sub(r"[^A-Za-z0-9]+", "_", description.name).lstrip("_0123456789")[:_OWN_NAME].rstrip("_") or "robot"


def spawn_text(
    world: World, text: str, limits: LimitSettings, check: Callable[[RobotDescription, str], None] = lambda *_: None
) -> Robot:
    """Spawn the robot of a `RobotWord`; errors as in `spawn`. `check` refuses a robot by its description and name."""
    name, resource = named_resource(text)
    pose = pose_of(text)
    description = resource.load(limits, world.types)
    check(description, name or name_of(description))
    return spawn(world, description, limits, name, renaming=not name, pose=pose)


def pose_of(text: str) -> SpawnPose | None:
    """The pose in a `RobotWord`, None = any free place; errors as in `checked_pose`."""
    place = RobotWord.of(text).place
    return None if place is None else checked_pose("", (*place[:2], 0.0), upright(place[2]))


def _add(world: World, description: RobotDescription, name: str, pose: SpawnPose | None) -> Robot:
    if pose is None:
        x, y = free_place(world)
        yaw = math.radians(world.settings.create.heading_deg)
        return world.add_robot(description, (x, y, description.spawn_height), yaw, name=name)
    rotation = rotations_from_quaternions(np.array([pose.quaternion]))[0]
    x, y, z = free_base(world, description, pose, rotation)
    yaw = heading_of(rotation)
    robot = world.add_robot(description, (x, y, z), yaw, name=name)
    if rotation[2, 2] < 1.0 - 1e-12:
        world.engine.place_robot(robot.handle, (x, y, z), quaternion_from_rotation(rotation))
    return robot


def free_base(
    world: World, description: RobotDescription, pose: SpawnPose, rotation: Array, robot: Robot | None = None
) -> Vector:
    """The place of a robot's base (its centre, m) at a pose, with the pose's rotation (3, 3).

    Raises:
        SpawnError: a robot other than the given one is there; the message says which place is free.
    """
    point = standing_point(description.model, description.spawn_height)
    x, y, z = (np.array(pose.position) - product(rotation, point)).tolist()
    free_x, free_y = world.free_spot(x, y, robot)
    if (free_x, free_y) != (x, y):
        raise _bad_pose(
            f"another robot is nearer than {world.settings.clearance} m to that place; the place ({free_x:.2f}, "
            f"{free_y:.2f}) is free"
        )
    return x, y, z


def free_place(world: World) -> tuple[float, float]:
    """A place with room around it, in rows behind the place where classic robots appear."""
    x, y, _ = world.settings.create.position
    others = world.engine.state.position[:, :2]
    for row in range(_ROWS):
        for column in sorted(range(-_COLUMNS, _COLUMNS + 1), key=abs):
            place = (x + column * _ROOM, y - row * _ROOM)
            if not len(others) or np.hypot(*(others - place).T).min() >= _ROOM * 0.9:
                return place
    return world.free_spot(x, y)
