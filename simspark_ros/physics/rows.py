"""The state when robots come and go: rows move, and the readings of the robots that stay move with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from simspark_ros.kernels.touches import TouchSums
from simspark_ros.physics.contact_summary import follow_rows
from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray
from simspark_ros.physics.model import ArticulatedModel

TouchArrays = tuple[BoolArray, Array, Array]
"""`touching`, `touch_point` and `touch_force` of a state."""

State = TypeVar("State", bound=EngineState)
_Values = TypeVar("_Values", Array, BoolArray)


def touch_arrays(sums: TouchSums, places: IntArray, centres: Array, rotations: Array) -> TouchArrays:
    """The forces that T touch links feel; places: (T,) rows of these links in (L, 3) centres, (L, 3, 3) rotations."""
    count = len(places)
    touching, numbers = np.empty(count, np.bool_), np.empty((2, count, 3))
    sums.read(places, centres, rotations, touching.view(np.uint8), numbers)
    return touching, numbers[0], numbers[1]


def change_rows(models: Mapping[int, ArticulatedModel], old: EngineState, kind: type[State]) -> State:
    """A state of class `kind` with new rows: the old numbers of robots that stay, zeros for newcomers.

    models: models of all robots by handle, in the order of the new rows.
    """
    robots, joints = len(models), [joint for model in models.values() for joint in model.joints]
    joint_offset = offsets(len(model.joints) for model in models.values())
    touch_offset = offsets(len(model.touch_links) for model in models.values())
    touches = int(touch_offset[-1])
    new = kind(
        revision=old.revision + 1,
        handles=tuple(models),
        models=tuple(models.values()),
        joint_offset=joint_offset,
        touch_offset=touch_offset,
        position=np.zeros((robots, 3)),
        rotation=np.zeros((robots, 3, 3)),
        linear_velocity=np.zeros((robots, 3)),
        angular_velocity=np.zeros((robots, 3)),
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
    for row, before in _staying(new, old):
        new.position[row], new.rotation[row] = old.position[before], old.rotation[before]
        new.linear_velocity[row] = old.linear_velocity[before]
        new.angular_velocity[row] = old.angular_velocity[before]
    new.joint_position = carry_joints(old.joint_position, new, old)
    new.joint_velocity = carry_joints(old.joint_velocity, new, old)
    new.joint_effort = carry_joints(old.joint_effort, new, old)
    new.touching, new.touch_point, new.touch_force = carry_touch(
        (old.touching, old.touch_point, old.touch_force), new, old
    )
    follow_rows(new, old)
    return new


def carry_joints(values: Array, new: EngineState, old: EngineState) -> Array:
    """Values (J_old,) of the joints of the old rows in the new rows (J_new,), zeros for newcomers."""
    return _carry(values, int(new.joint_offset[-1]), new, old, EngineState.joints_of)


def carry_touch(touch: TouchArrays, new: EngineState, old: EngineState) -> TouchArrays:
    """The arrays of the old rows in the new rows, zeros for newcomers."""
    count = int(new.touch_offset[-1])
    touching, point, force = touch
    part = EngineState.touches_of
    return (
        _carry(touching, count, new, old, part),
        _carry(point, count, new, old, part),
        _carry(force, count, new, old, part),
    )


def forget_forces(state: EngineState, row: int) -> None:
    """Set efforts and touch to zero for a robot that was put somewhere at rest."""
    state.joint_effort = state.joint_effort.copy()
    state.joint_effort[state.joints_of(row)] = 0.0
    own = state.touches_of(row)
    state.touching, state.touch_point = state.touching.copy(), state.touch_point.copy()
    state.touch_force = state.touch_force.copy()
    state.touching[own], state.touch_point[own], state.touch_force[own] = False, 0.0, 0.0


def offsets(counts: Iterable[int]) -> IntArray:
    """(N + 1,) start of each of N parts of these lengths in a flat array, and end of the last part."""
    return np.cumsum([0, *counts], dtype=np.int64)


def _staying(new: EngineState, old: EngineState) -> list[tuple[int, int]]:
    """New and old row of every robot that is in both states."""
    before = {handle: row for row, handle in enumerate(old.handles)}
    return [(row, before[handle]) for row, handle in enumerate(new.handles) if handle in before]


def _carry(
    values: _Values, count: int, new: EngineState, old: EngineState, part: Callable[[EngineState, int], slice]
) -> _Values:
    carried = np.zeros((count, *values.shape[1:]), values.dtype)
    for row, before in _staying(new, old):
        carried[part(new, row)] = values[part(old, before)]
    return carried
