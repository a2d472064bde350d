"""Where the links of a model are for given joint positions: ODE wants every body's pose."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Vector


def rotation_about(axis: Vector, angle: float) -> Array:
    """Rotation (3, 3), right-handed about a unit vector, rad (Rodrigues' formula)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Array = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    return rotation


def rotation_from_rpy(rpy: Vector) -> Array:
    """Rotation (3, 3) by roll about x, then pitch about y, then yaw about z, fixed axes, rad (URDF's convention)."""
    if rpy == (0.0, 0.0, 0.0):
        return np.eye(3)
    roll, pitch, yaw = rpy
    rotation: Array = (
        rotation_about((0.0, 0.0, 1.0), yaw)
        @ rotation_about((0.0, 1.0, 0.0), pitch)
        @ rotation_about((1.0, 0.0, 0.0), roll)
    )
    return rotation


def link_poses(model: ArticulatedModel, positions: Array) -> tuple[Array, Array]:
    """Poses of all links, in the model's order, relative to the base's centre of mass, in the base's axes.

    Args:
        model: the robot.
        positions: (J,) of the model's joints, rad or m.

    Returns:
        Centres of mass (L, 3), m, and rotations link to base (L, 3, 3).
    """
    values = {joint.name: float(value) for joint, value in zip(model.joints, positions, strict=True)}
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    origins = {model.base.name: -np.array(model.base.centre)}
    rotations = {model.base.name: np.eye(3)}
    for link in model.links[1:]:
        joint = joint_to[link.name]
        offset, turn = _across(joint, values.get(joint.name, 0.0))
        origins[link.name] = origins[joint.parent] + rotations[joint.parent] @ offset
        rotations[link.name] = rotations[joint.parent] @ turn
    centres = [origins[link.name] + rotations[link.name] @ np.array(link.centre) for link in model.links]
    return np.array(centres), np.array([rotations[link.name] for link in model.links])


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


def _across(joint: Joint, position: float) -> tuple[Array, Array]:
    """Origin of the child's frame in the parent's, and rotation child to parent."""
    origin, turn = np.array(joint.position), rotation_from_rpy(joint.rpy)
    if joint.kind is JointKind.PRISMATIC:
        return origin + turn @ (position * np.array(joint.axis)), turn
    if joint.kind is JointKind.FIXED or position == 0.0:
        return origin, turn
    return origin, turn @ rotation_about(joint.axis, position)
