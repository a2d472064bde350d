"""Poses of links and frames of many robots, from the table of bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.links import SelectedLinks, resolve_links
from simspark_ros.physics.ode.bodies import POSITION, rotations_of


@dataclass
class OdeLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: of the state it was made for.
        bodies: (K,) rows of the links in the table of bodies.
        selected: the frames on the links.
    """

    revision: int
    bodies: IntArray
    selected: SelectedLinks


def select_links(state: EngineState, first: list[int], links: list[tuple[int, str]]) -> OdeLinks:
    """Prepare a selection, see EngineCore.select_links. first: row of each robot's base in the table of bodies."""
    selected = resolve_links(state, links)
    bodies = [first[row] + link for row, link in zip(selected.rows, selected.links, strict=True)]
    return OdeLinks(state.revision, np.array(bodies, np.int64), selected)


def read_links(selection: OdeLinks, table: Array) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3)."""
    own = table[selection.bodies]
    return selection.selected.frames(own[:, POSITION].copy(), rotations_of(own).copy())
