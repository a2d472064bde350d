"""Poses of links and frames of many robots, from the table of bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.ode.bodies import POSITION, rotations_of
from simspark_ros.physics.ode.kinematics import rotation_from_rpy


@dataclass
class OdeLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: of the state it was made for.
        rows: (K,) rows of the links in the table of bodies.
        offsets: (K, 3) in the link's axes from its centre of mass to the frame's origin; None if all are zero.
        turns: (K, 3, 3) frame to link; None if all are the identity.
    """

    revision: int
    rows: IntArray
    offsets: Array | None
    turns: Array | None


def select_links(state: EngineState, first: list[int], links: list[tuple[int, str]]) -> OdeLinks:
    """Prepare a selection, see PhysicsEngine.select_links.

    Args:
        state: lists the robots.
        first: row of each robot's base in the table of bodies.
        links: handles and names.

    Raises:
        KeyError: an unknown handle or name.
    """
    rows = np.zeros(len(links), np.int64)
    offsets, turns = np.zeros((len(links), 3)), np.tile(np.eye(3), (len(links), 1, 1))
    for index, (handle, name) in enumerate(links):
        robot = state.row(handle)
        link, offsets[index], turns[index] = _resolve(state.models[robot], name)
        rows[index] = first[robot] + link
    return OdeLinks(
        revision=state.revision,
        rows=rows,
        offsets=offsets if offsets.any() else None,
        turns=turns if (turns != np.eye(3)).any() else None,
    )


def read_links(selection: OdeLinks, table: Array) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3)."""
    own = table[selection.rows]
    centres, rotations = own[:, POSITION].copy(), rotations_of(own).copy()
    if selection.offsets is not None:
        centres += np.einsum("kij,kj->ki", rotations, selection.offsets)
    if selection.turns is not None:
        rotations = np.einsum("kij,kjl->kil", rotations, selection.turns)
    return centres, rotations


@lru_cache(maxsize=4096)
def _resolve(model: ArticulatedModel, name: str) -> tuple[int, Array, Array]:
    """Index of the link of a link's or frame's name, offset from its centre of mass, and rotation to the link."""
    index = {link.name: number for number, link in enumerate(model.links)}
    for frame in model.frames:
        if frame.name == name:
            link = model.link(frame.link)
            return index[link.name], np.subtract(frame.position, link.centre), rotation_from_rpy(frame.rpy)
    if name in index:
        return index[name], np.zeros(3), np.eye(3)
    known = [*index, *(frame.name for frame in model.frames)]
    raise KeyError(f"model '{model.name}' has no link or frame '{name}'; it has: {', '.join(known)}")
