"""Poses and velocities of all links of a model for given joint positions and velocities."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel, JointKind, Vector


def link_poses(model: ArticulatedModel, positions: Array) -> tuple[Array, Array]:
    """Centres of mass (L, 3), m, and rotations (L, 3, 3) of all links, in the model's order.

    They are relative to the base's centre of mass, in the base's axes; positions: (J,) joint positions, rad or m.
    """
    values = {joint.name: float(value) for joint, value in zip(model.joints, positions, strict=True)}
    frames = link_frames(model, values, Transform(position=-np.array(model.base.centre)))
    centres = [frames[link.name].apply(np.array(link.centre)) for link in model.links]
    return np.array(centres), np.array([frames[link.name].rotation for link in model.links])


def link_velocities(
    model: ArticulatedModel, centres: Array, rotations: Array, linear: Vector, angular: Vector, joints: Array
) -> tuple[Array, Array]:
    """Velocities of the centres of mass (L, 3), m/s, and angular velocities (L, 3), rad/s, of all links, world frame.

    Links are at centres (L, 3), turned by rotations (L, 3, 3); linear, angular: velocities of the base; joints: (J,)
    joint velocities, rad/s or m/s.
    """
    index = {link.name: number for number, link in enumerate(model.links)}
    speeds = {joint.name: float(speed) for joint, speed in zip(model.joints, joints, strict=True)}
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    moving, turning = np.empty_like(centres), np.empty_like(centres)
    moving[0], turning[0] = linear, angular
    for child, link in enumerate(model.links[1:], 1):
        joint = joint_to[link.name]
        parent = index[joint.parent]
        along = rotations[child] @ joint.axis * speeds.get(joint.name, 0.0)
        slides = joint.kind is JointKind.PRISMATIC
        turning[child] = turning[parent] + (0.0 if slides else along)
        # The child turns about the anchor, which moves with the parent.
        lever = rotations[child] @ link.centre
        anchor = centres[child] - lever
        moving[child] = moving[parent] + np.cross(turning[parent], anchor - centres[parent])
        moving[child] += np.cross(turning[child], lever) + (along if slides else 0.0)
    return moving, turning


def joint_anchors(model: ArticulatedModel) -> dict[str, tuple[Array, Array]]:
    """Anchor and axis of every joint, fixed ones included, with all joints at zero, as `link_poses` has them."""
    centres, rotations = link_poses(model, np.zeros(len(model.joints)))
    index = {link.name: number for number, link in enumerate(model.links)}
    anchors = {}
    for joint in (*model.joints, *model.fixed_joints):
        child = index[joint.child]
        anchor = centres[child] - rotations[child] @ np.array(model.links[child].centre)
        anchors[joint.name] = (anchor, rotations[child] @ np.array(joint.axis))
    return anchors
