"""Robots that come and go before a world for them is compiled: can they be compiled, and what is the state then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import mujoco
import numpy as np

from simspark_ros.physics.checks import Quaternion
from simspark_ros.physics.contact_summary import follow_rows
from simspark_ros.physics.engine import EngineState, PhysicsError
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.mujoco.document import world_document
from simspark_ros.physics.mujoco.settings import MujocoSettings

Pose = tuple[Vector, Quaternion]
"""Of a base: its centre of mass, and base to world as x, y, z, w."""


@lru_cache(maxsize=64)
def check_model(settings: MujocoSettings, model: ArticulatedModel) -> None:
    """Find out whether a robot can be compiled; once for each model.

    Raises:
        PhysicsError: MuJoCo refuses it.
    """
    try:
        mujoco.MjModel.from_xml_string(world_document(settings, SceneModel(), (model,)))
    except ValueError as error:
        raise PhysicsError(f"MuJoCo cannot load the model '{model.name}': {error}") from None


def state_of(models: Mapping[int, ArticulatedModel], old: EngineState, newcomers: Mapping[int, Pose]) -> EngineState:
    """A state with other rows: what was read of those that stay, the poses of newcomers, who are at rest.

    Args:
        models: of all robots by handle, in the order of the new rows.
        old: state of before.
        newcomers: poses of robots that are not in it.
    """
    state = _empty_state(models, old)
    for row, handle in enumerate(state.handles):
        if handle in old.handles:
            _copy(state, row, old, old.row(handle))
        else:
            position, quaternion = newcomers[handle]
            state.position[row] = position
            state.rotation[row] = rotations_from_quaternions(np.array([quaternion]))[0]
    follow_rows(state, old)
    return state


def touches_of(state: EngineState, row: int) -> slice:
    """The touch links of a row in the touch arrays."""
    return slice(int(state.touch_offset[row]), int(state.touch_offset[row + 1]))


def _empty_state(models: Mapping[int, ArticulatedModel], old: EngineState) -> EngineState:
    robots, joints = len(models), [joint for model in models.values() for joint in model.joints]
    touches = sum(len(model.touch_links) for model in models.values())
    return EngineState(
        revision=old.revision + 1,
        handles=tuple(models),
        models=tuple(models.values()),
        joint_offset=np.cumsum([0, *(len(model.joints) for model in models.values())], dtype=np.int64),
        touch_offset=np.cumsum([0, *(len(model.touch_links) for model in models.values())], dtype=np.int64),
        position=np.zeros((robots, 3)),
        rotation=np.zeros((robots, 3, 3)),
        linear_velocity=np.zeros((robots, 3)),
        angular_velocity=np.zeros((robots, 3)),
        joint_position=np.zeros(len(joints)),
        joint_velocity=np.zeros(len(joints)),
        joint_effort=np.zeros(len(joints)),
        joint_lower=np.array([joint.lower for joint in joints]),
        joint_upper=np.array([joint.upper for joint in joints]),
        joint_max_velocity=np.array([joint.max_velocity for joint in joints]),
        joint_max_effort=np.array([joint.max_effort for joint in joints]),
        touching=np.zeros(touches, np.bool_),
        touch_point=np.zeros((touches, 3)),
        touch_force=np.zeros((touches, 3)),
        ball_position=old.ball_position,
        ball_velocity=old.ball_velocity,
        ball_angular_velocity=old.ball_angular_velocity,
    )


def _copy(state: EngineState, row: int, old: EngineState, before: int) -> None:
    """Copy what was read of a robot."""
    state.position[row], state.rotation[row] = old.position[before], old.rotation[before]
    state.linear_velocity[row], state.angular_velocity[row] = old.linear_velocity[before], old.angular_velocity[before]
    own, theirs = state.joints_of(row), old.joints_of(before)
    state.joint_position[own], state.joint_velocity[own] = old.joint_position[theirs], old.joint_velocity[theirs]
    state.joint_effort[own] = old.joint_effort[theirs]
    feet, old_feet = touches_of(state, row), touches_of(old, before)
    state.touching[feet] = old.touching[old_feet]
    state.touch_point[feet], state.touch_force[feet] = old.touch_point[old_feet], old.touch_force[old_feet]
