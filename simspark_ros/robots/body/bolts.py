"""Robots whose base is bolted to the world: by their model, their YAML file or the request that spawns them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspark_ros.physics.geometry.kinematics import standing_height
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.formats.urdf.importer import WORLD
from simspark_ros.robots.types.parameters import RobotName


def without_world(model: ArticulatedModel) -> tuple[ArticulatedModel, Transform | None]:
    """The model without its frame `world`, and the pose of the base link in the world that it stands for.

    The pose is None if there is no such frame: then the model is free, or the world itself is its base.
    """
    frame = next((one for one in model.frames if one.name == WORLD and model.fixed_base), None)
    if frame is None:
        return model, None
    pose = Transform.of(frame.position, frame.rpy).inverse()
    return replace(model, frames=tuple(one for one in model.frames if one is not frame)), pose


def height_of(model: ArticulatedModel, pose: Transform) -> float:
    """Height of the base's centre of mass when the base link has a pose in the world, m."""
    return float(pose.apply(np.array(model.base.centre))[2])


def is_upright(pose: Transform) -> bool:
    """Whether a base stands upright at a pose."""
    return bool(pose.rotation[2, 2] > 1.0 - 1e-6)


def with_base(robot: RobotDescription, is_fixed: bool) -> RobotDescription:
    """The robot with its base bolted to the world, or free; a robot that becomes free stands on the ground."""
    model = robot.model
    if model.fixed_base == is_fixed:
        return robot
    source = str(replace(RobotName.parse(robot.source), fixed_base=is_fixed))
    height = robot.spawn_height
    if not is_fixed:
        names = (joint.name for joint in model.joints)
        height = standing_height(model, dict(zip(names, robot.home, strict=False)))
    return replace(robot, model=replace(model, fixed_base=is_fixed), source=source, spawn_height=height)
