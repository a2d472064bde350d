"""Poses of links and frames of many robots, in a few array calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.mujoco.world import MujocoWorld


@dataclass
class MujocoLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: of the state it was made for.
        bodies: (K,) MuJoCo's number of the body.
        offsets: (K, 3) in the link's axes from its centre of mass to the frame's origin; None if all are zero.
        turns: (K, 3, 3) frame to link; None if all are the identity.
    """

    revision: int
    bodies: IntArray
    offsets: Array | None
    turns: Array | None


def select_links(state: EngineState, world: MujocoWorld, links: list[tuple[int, str]]) -> MujocoLinks:
    """Prepare a selection, see PhysicsEngine.select_links.

    Raises:
        KeyError: an unknown handle or name.
    """
    bodies = np.zeros(len(links), np.int64)
    offsets, turns = np.zeros((len(links), 3)), np.tile(np.eye(3), (len(links), 1, 1))
    for index, (handle, name) in enumerate(links):
        row = state.row(handle)
        link, offsets[index], turns[index] = _resolve(state.models[row], name)
        bodies[index] = world.parts[row].links[link]
    return MujocoLinks(
        revision=state.revision,
        bodies=bodies,
        offsets=offsets if offsets.any() else None,
        turns=turns if (turns != np.eye(3)).any() else None,
    )


def read_links(selection: MujocoLinks, world: MujocoWorld) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3)."""
    centres: Array = world.data.xpos.take(selection.bodies, 0)
    rotations: Array = world.data.xmat.take(selection.bodies, 0).reshape(-1, 3, 3)
    if selection.offsets is not None:
        centres += np.einsum("kij,kj->ki", rotations, selection.offsets)
    if selection.turns is not None:
        rotations = np.einsum("kij,kjl->kil", rotations, selection.turns)
    return centres, rotations


@lru_cache(maxsize=4096)
def _resolve(model: ArticulatedModel, name: str) -> tuple[str, Array, Array]:
    """Link that carries a link or frame of that name, offset from its centre of mass, and rotation to the link."""
    for frame in model.frames:
        if frame.name == name:
            link = model.link(frame.link)
            quaternion, turn = np.zeros(4), np.zeros(9)
            # Upper case: about fixed axes, as URDF's roll, pitch and yaw are.
            mujoco.mju_euler2Quat(quaternion, np.array(frame.rpy, dtype=float), "XYZ")
            mujoco.mju_quat2Mat(turn, quaternion)
            return link.name, np.subtract(frame.position, link.centre), turn.reshape(3, 3)
    if any(link.name == name for link in model.links):
        return name, np.zeros(3), np.eye(3)
    known = [link.name for link in model.links] + [frame.name for frame in model.frames]
    raise KeyError(f"model '{model.name}' has no link or frame '{name}'; it has: {', '.join(known)}")
