"""Keeps heaps of robots from stopping the simulation: a direct solver is cubic in a group of bodies that touch.

A robot that would join groups into too large a group becomes a ghost, which passes through other ghosts.
"""

from __future__ import annotations

from collections.abc import Mapping


class IslandLimit:
    """Groups of robots that touch in this cycle, by owner; the sum of the cubes of their sizes is bounded.

    Args:
        most: size of the largest group that may exist if it is the only one.
    """

    def __init__(self, most: float) -> None:
        self._budget = most**3
        self._leader: dict[int, int] = {}
        self._size: dict[int, float] = {}
        self._cost = 0.0

    def start(self, sizes: Mapping[int, float]) -> None:
        """Begin a new cycle in which nothing touches yet; sizes: size of each owner; others have size 0."""
        self._leader.clear()
        self._size = dict(sizes)
        self._cost = sum(size**3 for size in sizes.values())

    def join(self, one: int, other: int, more: float = 0.0) -> bool:
        """Join the groups of two owners that touch, unless that costs too much; returns whether they may touch.

        more: size that their contact adds.
        """
        a, b = self._find(one), self._find(other)
        size_a, size_b = self._size.get(a, 0.0), 0.0 if a == b else self._size.get(b, 0.0)
        size = size_a + size_b + more
        cost = self._cost + size**3 - size_a**3 - size_b**3
        if cost > max(self._budget, self._cost):
            return False
        self._cost = cost
        self._size[a] = size
        if a != b:
            self._leader[b] = a
        return True

    def _find(self, owner: int) -> int:
        leader = self._leader
        while owner in leader:
            owner = leader[owner]
        return owner
