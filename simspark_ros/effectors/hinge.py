"""Hinge joint effector for all robots at once (user manual, "HingeJoint Effector")."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.soccer.world import World


def command_velocities(world: World, handles: IntArray, joints: IntArray, velocities: Array) -> int:
    """Set the motor velocities of hinge joints; they persist until changed.

    As on the reference a command is ignored while its joint is at or beyond a stop, NaN acts as full negative speed,
    and everything is clamped to the joint's speed (protocol reference, section 5).

    Args:
        world: to act on.
        handles: (K,) robots; those that are gone are ignored.
        joints: (K,) index of the joint in its robot's model; the last entry for a joint wins.
        velocities: (K,) rad/s.

    Returns:
        How many commands named a robot or joint that does not exist.
    """
    state = world.engine.state
    first = dict(zip(state.handles, state.joint_offset.tolist(), strict=False))
    count = dict(zip(state.handles, np.diff(state.joint_offset).tolist(), strict=True))
    owners = handles.tolist()
    start = np.array([first.get(handle, -1) for handle in owners], np.int64)
    size = np.array([count.get(handle, 0) for handle in owners], np.int64)
    known = (joints >= 0) & (joints < size)
    index = (start + joints)[known]
    position = state.joint_position.take(index)
    free = (position > state.joint_lower.take(index)) & (position < state.joint_upper.take(index))
    velocity = np.where(np.isnan(velocities), -np.inf, velocities)[known]
    world.motors.set_velocities(index[free], velocity[free], state)
    return len(owners) - int(known.sum())
