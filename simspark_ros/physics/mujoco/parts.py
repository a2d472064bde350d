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
        is_bolted: whether the base is fixed to the world, and has no numbers in `qpos` and `qvel`.
        positions: the robot's part of `qpos`: seven numbers of the base unless it is bolted, then the joints.
        velocities: the robot's part of `qvel`: six numbers of the base unless it is bolted, then the joints.
        joints: (J_robot,) degree of freedom of each joint, in the model's order.
        joint_positions: (J_robot,) index in `qpos` of each joint, in the model's order.
        in_order: the robot's part of arrays of all joints, and of all motors' rows.
        links: link name -> body.
    """

    bodies: slice
    is_bolted: bool
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


def body_name(compiled: Any, row: int, number: int, link: str) -> str:
    """Name of the body of a robot's link, by its number in a document of this package, by its own name in others."""
    own = f"{row}:{link}"
    is_own = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, own) >= 0
    return own if is_own else f"{row}.{number}"


def _part(compiled: Any, row: int, model: ArticulatedModel, joints_before: int) -> Part:
    links = {
        link.name: mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, body_name(compiled, row, number, link.name))
        for number, link in enumerate(model.links)
    }
    base = links[model.base.name]
    carried = np.array([compiled.body_jntadr[links[joint.child]] for joint in model.joints], np.int64)
    # A robot's joints follow one another; one without any has empty parts.
    root = carried.min(initial=compiled.njnt) if model.fixed_base else compiled.body_jntadr[base]
    first, first_velocity = (
        int(one[root]) if root < compiled.njnt else 0 for one in (compiled.jnt_qposadr, compiled.jnt_dofadr)
    )
    of_base, of_base_velocity = (0, 0) if model.fixed_base else (7, 6)
    return Part(
        bodies=slice(base, base + len(model.links)),
        is_bolted=model.fixed_base,
        positions=slice(first, first + of_base + len(model.joints)),
        velocities=slice(first_velocity, first_velocity + of_base_velocity + len(model.joints)),
        joints=compiled.jnt_dofadr[carried].astype(np.int64),
        joint_positions=compiled.jnt_qposadr[carried].astype(np.int64),
        in_order=slice(joints_before, joints_before + len(model.joints)),
        links=links,
    )
