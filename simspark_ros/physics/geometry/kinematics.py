"""Forward kinematics of a model, without an engine: where its links are for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform, rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind


def link_frames(
    model: ArticulatedModel, positions: Mapping[str, float] | None = None, base: Transform | None = None
) -> dict[str, Transform]:
    """Poses of all links (the frame at the joint's anchor, not at the centre of mass) and frames by name.

    Args:
        model: of the robot.
        positions: joint -> rad or m; joints that are left out are at 0.
        base: pose of the base link's frame; None gives all poses in that frame.
    """
    positions = positions or {}
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    poses = {model.base.name: Transform() if base is None else base}
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


def _across(joint: Joint, position: float) -> Transform:
    """Pose of the child's frame in the parent's."""
    origin = Transform.of(joint.position, joint.rpy)
    if joint.kind is JointKind.PRISMATIC:
        return origin @ Transform(position=position * np.array(joint.axis))
    if joint.kind is JointKind.FIXED or position == 0.0:
        return origin
    return origin @ Transform(rotation=rotation_about(joint.axis, position))
