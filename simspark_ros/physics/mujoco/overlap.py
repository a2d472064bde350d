"""Keeps robots that were put into each other from stopping the simulation.

Two Naos on one spot have about a hundred contacts, twenty-two have thousands: steps would take seconds, and their
forces leave the range of numbers. Such robots become ghosts: they touch everything but other ghosts, until they are
apart. So do robots that had to be put back, and robots they touch: from the same place they would go wrong again.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.mujoco.document import GHOST_BITS, OWN_BITS, affinity, robot_bits
from simspark_ros.physics.mujoco.world import MujocoWorld
from simspark_ros.physics.overlap import PATIENCE, Pair, members, overlapping, pair_of


class MujocoOverlaps:
    """Pairs of robots (by handle) that were put into each other, and so are ghosts."""

    def __init__(self) -> None:
        self._pairs: set[Pair] = set()
        self._age = 0
        # The world seen last, and its bits of robots' own texts.
        self._world: MujocoWorld | None = None
        self._own: list[Any] = []

    def update(self, world: MujocoWorld, handles: tuple[int, ...], placed: set[int], stuck: set[int]) -> None:
        """Before a step: find overlaps, and once in a while release robots that are apart.

        placed: robots placed since the last step; stuck: robots of `placed` put back because of absurd numbers.
        """
        self._age += 1
        if self._pairs and self._age % PATIENCE == 0:
            placed = placed | self._release(world, handles)
        if len(handles) > 1 and placed:
            # MuJoCo's memory may not hold all contacts of a large crowd; ghosts make room, and more contacts are found.
            while self._find(world, handles, placed, stuck):
                pass

    def forget(self, handle: int) -> None:
        """Drop the pairs of a robot that leaves; `apply` has to follow."""
        self._pairs = {pair for pair in self._pairs if handle not in pair}

    def apply(self, world: MujocoWorld, handles: tuple[int, ...]) -> None:
        """Make the robots of all pairs ghosts in a world."""
        self._set_bits(world, handles, members(self._pairs))

    def _find(self, world: MujocoWorld, handles: tuple[int, ...], placed: set[int], stuck: set[int]) -> bool:
        """Look for new pairs; returns whether there were any."""
        counts = _contacts_between(world, handles)
        touching = {pair: count for pair, count in counts.items() if placed & set(pair)}
        known = len(self._pairs)
        self._pairs.update(overlapping(touching, stuck))
        if len(self._pairs) == known:
            return False
        self.apply(world, handles)
        return True

    def _release(self, world: MujocoWorld, handles: tuple[int, ...]) -> set[int]:
        """Let pairs that are apart collide again; returns the robots that were ghosts."""
        ghosts = members(self._pairs)
        self._set_bits(world, handles, set())
        self._pairs &= set(_contacts_between(world, handles))
        self.apply(world, handles)
        return ghosts

    def _set_bits(self, world: MujocoWorld, handles: tuple[int, ...], ghosts: set[int]) -> None:
        model = world.model
        kinds = model.geom_contype, model.geom_conaffinity, model.body_contype, model.body_conaffinity
        if self._world is not world:
            # By which robots' own texts have their solids collide; ghosts have none.
            self._world, self._own = world, [bits & OWN_BITS for bits in kinds]
        for row, handle in enumerate(handles):
            bits = GHOST_BITS if handle in ghosts else robot_bits(row)
            geoms = world.owner == row
            bodies = np.unique(model.geom_bodyid[geoms])
            for number, which in enumerate((geoms, geoms, bodies, bodies)):
                kept = 0 if handle in ghosts else self._own[number][which]
                kinds[number][which] = kept | (affinity(bits) if number % 2 else bits)


def _contacts_between(world: MujocoWorld, handles: tuple[int, ...]) -> Counter[Pair]:
    """Number of present contacts of each pair of robots."""
    mujoco.mj_collision(world.model, world.data)
    rows = world.owner[world.data.contact.geom]
    rows = rows[(rows >= 0).all(axis=1) & (rows[:, 0] != rows[:, 1])]
    pairs, counts = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)
    each = zip(pairs.tolist(), counts.tolist(), strict=True)
    return Counter({pair_of(handles[one], handles[other]): count for (one, other), count in each})
