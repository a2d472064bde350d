"""The places of each robot's numbers in the arrays of a compiled MuJoCo world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.model import ArticulatedModel, Vector
from simspark_ros.physics.mujoco.document import BALL_BODY

BALL_ROW, NO_OWNER = -1, -2
"""Owners of geoms that belong to no robot: the ball, and all that stands still."""


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


def owners_of(compiled: Any, parts: Sequence[Part]) -> IntArray:
    """(number of geoms,) row of the robot that each geom belongs to, or `BALL_ROW`, or `NO_OWNER`."""
    rows = np.full(compiled.nbody, NO_OWNER, np.int64)
    ball = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, BALL_BODY)
    if ball >= 0:
        rows[ball] = BALL_ROW
    for row, part in enumerate(parts):
        rows[part.bodies] = row
    owners: IntArray = rows[compiled.geom_bodyid]
    return owners


def summary_of(owners: IntArray, points: Array) -> ContactSummary:
    """The summary of contacts: (C, 2) their two owners, robots or the ball, and (C, 3) points, world frame, m."""
    summary = ContactSummary()
    for (one, other), point in zip(owners.tolist(), points.tolist(), strict=True):
        if one == BALL_ROW or other == BALL_ROW:
            summary.add_ball(max(one, other))
        else:
            summary.add_robots(one, other, point)
    return summary


def put_frame(
    model: Any, data: Any, part: Part, position: Vector | Array, quaternion: tuple[float, float, float, float]
) -> None:
    """Put the frame of a robot's base, bolted or not, somewhere. quaternion: x, y, z, w."""
    x, y, z, w = quaternion
    base, start = part.bodies.start, part.positions.start
    if part.is_bolted:
        model.body_pos[base], model.body_quat[base] = position, (w, x, y, z)
    else:
        data.qpos[start : start + 7] = (*position, w, x, y, z)


def copy_bolt(model: Any, part: Part, old_model: Any, old_part: Part) -> None:
    """Copy the pose of a bolted base from another world; MuJoCo does not read the places of others."""
    here, there = part.bodies.start, old_part.bodies.start
    model.body_pos[here], model.body_quat[here] = old_model.body_pos[there], old_model.body_quat[there]


def copy_motion(data: Any, old_data: Any, place: slice, old_place: slice, motion: slice, old_motion: slice) -> None:
    """Copy positions and velocities from places of another world to places of this one."""
    data.qpos[place] = old_data.qpos[old_place]
    data.qvel[motion] = old_data.qvel[old_motion]
    data.qacc_warmstart[motion] = old_data.qacc_warmstart[old_motion]


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
