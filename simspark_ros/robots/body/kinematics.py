"""The base frame of a robot, and its joints in its home pose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform
from simspark_ros.physics.model import ArticulatedModel, Joint
from simspark_ros.robots.description import RobotDescription

BASE = "base_link"
"""Name of a robot's base frame (REP-105)."""


def base_frame(model: ArticulatedModel) -> tuple[str, Transform]:
    """The frame that represents the robot on topics, and its pose relative to the base link's centre of mass.

    It is `base_link`; for models without that frame, the frame of the base link itself.
    """
    centre = np.array(model.base.centre)
    for frame in model.frames:
        if frame.name == BASE and frame.link == model.base.name:
            pose = Transform.of(frame.position, frame.rpy)
            return BASE, Transform(pose.rotation, pose.position - centre)
    return model.base.name, Transform(position=-centre)


def home_pose(model: ArticulatedModel, wanted: Mapping[str, float]) -> dict[str, float]:
    """The position of each joint at which a robot starts, rad or m, in the order of the model.

    wanted: positions of some joints. The others start at 0, or at the place next to it that their stops allow; joints
    that follow another one start where it takes them.
    """
    home = {joint.name: _within(wanted.get(joint.name, 0.0), joint) for joint in model.joints}
    for joint in model.joints:
        if joint.mimic is not None and joint.name not in wanted:
            home[joint.name] = _within(joint.mimic.multiplier * home[joint.mimic.joint] + joint.mimic.offset, joint)
    return home


def home_positions(description: RobotDescription) -> Array:
    """Positions of all joints of a robot in its home pose (J,), rad or m."""
    return np.array(description.home) if description.home else np.zeros(len(description.model.joints))


def _within(position: float, joint: Joint) -> float:
    return min(max(position, joint.lower), joint.upper)


def standing_point(model: ArticulatedModel, height: float) -> Array:
    """The point (3,) between a robot's feet, relative to the base link's centre of mass and in its axes, m.

    When the robot stands with its base's centre at that height (m), the point is on the ground below the base frame; it
    moves with the base. It is the place of an entity for programs that know no base links.
    """
    base = base_frame(model)[1]
    return np.array([base.position[0], base.position[1], -height])
