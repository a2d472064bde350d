"""Selections of links and frames: the link that carries each, and the pose of a frame on its link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import cross
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.model_cache import kept_with_model


@dataclass
class SelectedLinks:
    """K links and frames of an `EngineState`, resolved.

    Attributes:
        revision: revision of the state.
        rows: row of each one's robot.
        links: index, in the robot's model, of the link that carries each.
        offsets: (K, 3) frame's origin from the link's centre of mass, in the link's axes, m; None if all are zero.
        turns: (K, 3, 3) rotations frame to link; None if all are the identity.
        bodies: (K,) the engine's own number of each link, set by the engine.
    """

    revision: int
    rows: list[int]
    links: list[int]
    offsets: Array | None
    turns: Array | None
    bodies: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def frames(self, centres: Array, rotations: Array) -> tuple[Array, Array]:
        """Poses of the selection from the centres of mass (K, 3) and rotations (K, 3, 3) of its links."""
        if self.offsets is not None:
            centres = centres + np.einsum("kij,kj->ki", rotations, self.offsets)
        if self.turns is not None:
            rotations = np.einsum("kij,kjl->kil", rotations, self.turns)
        return centres, rotations

    def velocities(self, linear: Array, angular: Array, rotations: Array) -> tuple[Array, Array]:
        """Velocities (K, 3) of the selection from the velocities of its links' centres of mass and their rotations."""
        if self.offsets is not None:
            linear = linear + cross(angular, np.einsum("kij,kj->ki", rotations, self.offsets))
        return linear, angular


def resolve_links(state: EngineState, links: list[tuple[int, str]]) -> SelectedLinks:
    """Resolve links given as (handle, link name or frame name); KeyError names an unknown one and the known ones."""
    row_of = {handle: row for row, handle in enumerate(state.handles)}
    places = [_places(model) for model in state.models]
    rows = [row_of[handle] if handle in row_of else state.row(handle) for handle, _ in links]
    found = [
        places[row].get(name) or _unknown(state.models[row], name) for row, (_, name) in zip(rows, links, strict=True)
    ]
    offsets = np.array([offset for _, offset, _ in found]).reshape(-1, 3)
    turns = np.array([turn for _, _, turn in found]).reshape(-1, 3, 3)
    return SelectedLinks(
        revision=state.revision,
        rows=rows,
        links=[link for link, _, _ in found],
        offsets=offsets if offsets.any() else None,
        turns=turns if (turns != np.eye(3)).any() else None,
    )


@kept_with_model
def _places(model: ArticulatedModel) -> dict[str, tuple[int, Array, Array]]:
    """For each name of a link or frame: index of the link, the frame's offset from its centre of mass, its rotation.

    A frame goes before a link of the same name, and the first of frames of one name before the others.
    """
    index = {link.name: number for number, link in enumerate(model.links)}
    places: dict[str, tuple[int, Array, Array]] = {
        name: (number, np.zeros(3), np.eye(3)) for name, number in index.items()
    }
    for frame in reversed(model.frames):
        offset = np.subtract(frame.position, model.link(frame.link).centre)
        places[frame.name] = index[frame.link], offset, rotation_from_rpy(frame.rpy)
    return places


def _unknown(model: ArticulatedModel, name: str) -> NoReturn:
    raise KeyError(f"model '{model.name}' has no link or frame '{name}'; it has: {', '.join(_places(model))}")
