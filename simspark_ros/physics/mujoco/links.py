"""Poses of links and frames of many robots, in a few array calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.mujoco.world import MujocoWorld


@dataclass
class MujocoLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: of the state it was made for.
        bodies: (K,) MuJoCo's number of the body.
        selected: the frames on the links.
    """

    revision: int
    bodies: IntArray
    selected: SelectedLinks


def select_links(state: EngineState, world: MujocoWorld, links: list[tuple[int, str]]) -> MujocoLinks:
    """Prepare a selection, see EngineCore.select_links."""
    selected = resolve_links(state, links)
    bodies = [
        world.parts[row].links[state.models[row].links[link].name]
        for row, link in zip(selected.rows, selected.links, strict=True)
    ]
    return MujocoLinks(state.revision, np.array(bodies, np.int64), selected)


def read_links(selection: MujocoLinks, world: MujocoWorld) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3)."""
    centres: Array = world.data.xpos.take(selection.bodies, 0)
    rotations: Array = world.data.xmat.take(selection.bodies, 0).reshape(-1, 3, 3)
    return selection.selected.frames(centres, rotations)
