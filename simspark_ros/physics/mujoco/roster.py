"""Robots that come and go before a world for them is compiled: a check of their models, and the state until then."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simspark_ros.physics.engine import EngineState
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.guarded import Quaternion
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.mujoco.document import compile_world
from simspark_ros.physics.mujoco.settings import MujocoSettings
from simspark_ros.physics.rows import change_rows

BasePose = tuple[Vector, Quaternion]
"""Pose of a base: its centre of mass, m, and rotation base to world as x, y, z, w."""


@kept_with_model
def check_model(model: ArticulatedModel, settings: MujocoSettings) -> None:
    """Raise PhysicsError if MuJoCo refuses a model; tried once for each."""
    compile_world(settings, SceneModel(), (model,))


def state_of(
    models: Mapping[int, ArticulatedModel], old: EngineState, newcomers: Mapping[int, BasePose]
) -> EngineState:
    """The `old` state with the rows of these models by handle; newcomers have these poses and are at rest."""
    state = change_rows(models, old, EngineState)
    for row, handle in enumerate(state.handles):
        if handle not in old.handles:
            position, quaternion = newcomers[handle]
            state.position[row] = position
            state.rotation[row] = rotations_from_quaternions(np.array([quaternion]))[0]
    return state
