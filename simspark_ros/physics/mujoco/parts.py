"""The places of each robot's numbers in the arrays of a compiled MuJoCo world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.model import ArticulatedModel


@dataclass(frozen=True)
class Part:
    """The places of one robot's numbers in MuJoCo's arrays, which hold them side by side.

    Attributes:
        bodies: the robot's part of arrays of bodies.
        positions: the robot's part of `qpos`: seven numbers of the base, then the joints.
        velocities: the robot's part of `qvel`: six numbers of the base, then the joints.
        joints: (J_robot,) degree of freedom of each joint, in the model's order.
        joint_positions: (J_robot,) index in `qpos` of each joint, in the model's order.
        in_order: the robot's part of arrays of all joints, and of all motors' rows.
        links: link name -> body.
    """

    bodies: slice
    positions: slice
    velocities: slice
    joints: IntArray
    joint_positions: IntArray
    in_order: slice
    links: dict[str, int]


def parts_of(compiled: Any, models: Sequence[ArticulatedModel]) -> list[Part]:
    """The places of robots, by row; `compiled` is an MjModel of a document with these robots."""
    parts: list[Part] = []
    joints_before = 0
    for row, model in enumerate(models):
        parts.append(_part(compiled, row, model, joints_before))
        joints_before += len(model.joints)
    return parts


def _part(compiled: Any, row: int, model: ArticulatedModel, joints_before: int) -> Part:
    links = {
        link.name: mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, f"{row}.{number}")
        for number, link in enumerate(model.links)
    }
    base = links[model.base.name]
    root = compiled.body_jntadr[base]
    first, first_velocity = int(compiled.jnt_qposadr[root]), int(compiled.jnt_dofadr[root])
    carried = np.array([compiled.body_jntadr[links[joint.child]] for joint in model.joints], np.int64)
    return Part(
        bodies=slice(base, base + len(model.links)),
        positions=slice(first, first + 7 + len(model.joints)),
        velocities=slice(first_velocity, first_velocity + 6 + len(model.joints)),
        joints=compiled.jnt_dofadr[carried].astype(np.int64),
        joint_positions=compiled.jnt_qposadr[carried].astype(np.int64),
        in_order=slice(joints_before, joints_before + len(model.joints)),
        links=links,
    )
