"""Keeps heaps of robots from stopping the simulation: ODE's solver is cubic in a group of bodies that touch.

Some pairs of robots (or a robot and the ball) become *ghosts*: they pass through each other until they are apart. Such
are robots that were put deep into each other, which would be thrown apart, and pairs whose contact would join groups of
robots into too large a one.
"""

from __future__ import annotations

Pair = tuple[int, int]


def pair_of(one: int, other: int) -> Pair:
    """The same for both orders."""
    return (one, other) if one < other else (other, one)


class IslandLimit:
    """Groups of robots that touch in this cycle; `budget` bounds the sum of the cubes of their sizes.

    Attributes:
        ghosts: pairs of owners that pass through each other.
    """

    def __init__(self, budget: float) -> None:
        self.ghosts: set[Pair] = set()
        self._budget = budget
        self._leader: dict[int, int] = {}
        self._size: dict[int, int] = {}
        self._cost = 0
        self._near: set[Pair] = set()
        self._turn = 0

    def start(self, robots: int) -> None:
        """A new cycle in which nothing touches yet."""
        self._leader.clear()
        self._size.clear()
        self._near.clear()
        self._cost = robots

    def may_touch(self, one: int, other: int, ball: int) -> bool:
        """Join the groups of two owners that touch; False if that is too dear: they are ghosts from now on.

        ball: the owner that is the ball, which costs nothing itself.
        """
        a, b = self._find(one), self._find(other)
        if a == b:
            return True
        size_a, size_b = self._size.get(a, int(a != ball)), self._size.get(b, int(b != ball))
        extra = (size_a + size_b) ** 3 - size_a**3 - size_b**3
        if extra and self._cost + extra > self._budget:
            self.make_ghosts(pair_of(one, other))
            return False
        self._cost += extra
        self._leader[b] = a
        self._size[a] = size_a + size_b
        return True

    def is_ghost(self, pair: Pair) -> bool:
        """Whether a pair whose bounding boxes overlap passes through each other."""
        if pair not in self.ghosts:
            return False
        self._near.add(pair)
        return True

    def make_ghosts(self, pair: Pair) -> None:
        """Let two owners pass through each other until they are apart."""
        self.ghosts.add(pair)
        self._near.add(pair)

    def candidates(self, count: int) -> list[Pair]:
        """End the cycle: pairs whose boxes are apart are solid again; a few others to be looked at closely."""
        if not self.ghosts:
            return []
        self.ghosts &= self._near
        pairs = sorted(self.ghosts)
        start = self._turn % max(1, len(pairs))
        self._turn += count
        return (pairs[start:] + pairs[:start])[:count]

    def forget(self, owner: int) -> None:
        """Drop the pairs of a robot that leaves."""
        self.ghosts = {pair for pair in self.ghosts if owner not in pair}

    def _find(self, owner: int) -> int:
        leader = self._leader
        while owner in leader:
            owner = leader[owner]
        return owner
