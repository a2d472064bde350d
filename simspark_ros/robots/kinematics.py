"""Forward kinematics of a model, without an engine: where its links are for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform, rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Shape, ShapeKind

BASE = "base_link"
"""Name of the frame that stands for a whole robot (REP-105)."""


def base_frame(model: ArticulatedModel) -> tuple[str, Transform]:
    """The frame that stands for the whole robot on topics, and its pose seen from the base link's centre of mass.

    That is `base_link`; for models without one, the frame of the base link itself.
    """
    centre = np.array(model.base.centre)
    for frame in model.frames:
        if frame.name == BASE and frame.link == model.base.name:
            pose = Transform.of(frame.position, frame.rpy)
            return BASE, Transform(pose.rotation, pose.position - centre)
    return model.base.name, Transform(position=-centre)


def link_frames(model: ArticulatedModel, positions: Mapping[str, float] | None = None) -> dict[str, Transform]:
    """Poses of all links and frames in the base link's frame.

    Args:
        model: the robot.
        positions: joint -> rad or m; joints that are left out are at 0.

    Returns:
        Name -> pose of the link's frame (its joint's anchor, not its centre of mass) or of the frame.
    """
    positions = positions or {}
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    poses = {model.base.name: Transform()}
    for link in model.links[1:]:
        joint = joint_to[link.name]
        poses[link.name] = poses[joint.parent] @ _across(joint, positions.get(joint.name, 0.0))
    for frame in model.frames:
        poses[frame.name] = poses[frame.link] @ Transform.of(frame.position, frame.rpy)
    return poses


def link_centres(model: ArticulatedModel, positions: Mapping[str, float] | None = None) -> dict[str, Array]:
    """Centres of mass (3,) of all links relative to the base's, in the base's axes, m. Arguments as `link_frames`."""
    poses = link_frames(model, positions)
    base = np.array(model.base.centre)
    return {link.name: poses[link.name].apply(np.array(link.centre)) - base for link in model.links}


def standing_height(model: ArticulatedModel) -> float:
    """Height of the base's centre of mass above the lowest point of the robot with all joints at 0, m.

    0 for a model that collides with nothing.
    """
    poses = link_frames(model)
    lows = [_lowest(poses[link.name], shape) for link in model.links for shape in link.collisions]
    return model.base.centre[2] - min(lows) if lows else 0.0


def _across(joint: Joint, position: float) -> Transform:
    """Pose of the child's frame in the parent's."""
    origin = Transform.of(joint.position, joint.rpy)
    if joint.kind is JointKind.PRISMATIC:
        return origin @ Transform(position=position * np.array(joint.axis))
    if joint.kind is JointKind.FIXED or position == 0.0:
        return origin
    return origin @ Transform(rotation=rotation_about(joint.axis, position))


def _lowest(link: Transform, shape: Shape) -> float:
    """Height of a solid's lowest point."""
    pose = link @ Transform.of(shape.position, shape.rpy)
    down = np.abs(pose.rotation[2])
    if shape.kind is ShapeKind.BOX:
        reach = float(down @ np.array(shape.size)) / 2.0
    elif shape.kind is ShapeKind.SPHERE:
        reach = shape.size[0]
    else:
        radius, length = shape.size
        rim = radius if shape.kind is ShapeKind.CAPSULE else radius * float(np.hypot(down[0], down[1]))
        reach = rim + float(down[2]) * length / 2.0
    return float(pose.position[2]) - reach
