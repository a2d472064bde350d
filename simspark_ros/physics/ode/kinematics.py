"""Poses of a model's links for given joint positions: ODE needs every body's pose."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel


def link_poses(model: ArticulatedModel, positions: Array) -> tuple[Array, Array]:
    """Centres of mass (L, 3), m, and rotations (L, 3, 3) of all links, in the model's order.

    They are relative to the base's centre of mass, in its axes; positions: (J,) of the model's joints, rad or m.
    """
    values = {joint.name: float(value) for joint, value in zip(model.joints, positions, strict=True)}
    frames = link_frames(model, values, Transform(position=-np.array(model.base.centre)))
    centres = [frames[link.name].apply(np.array(link.centre)) for link in model.links]
    return np.array(centres), np.array([frames[link.name].rotation for link in model.links])


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
