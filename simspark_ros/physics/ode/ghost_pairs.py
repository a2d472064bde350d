"""Pairs of robots, or of a robot and the ball, that pass through each other until they are apart."""

from __future__ import annotations

from simspark_ros.physics.overlap import Pair


class GhostPairs:
    """Pairs put deep into each other, which would be thrown apart, and pairs that `IslandLimit` refuses.

    Attributes:
        pairs: pairs of owners, as `pair_of` orders them.
    """

    def __init__(self) -> None:
        self.pairs: set[Pair] = set()
        self._near: set[Pair] = set()
        self._turn = 0

    def passes(self, pair: Pair) -> bool:
        """Whether a pair whose bounding boxes overlap passes through each other."""
        if pair not in self.pairs:
            return False
        self._near.add(pair)
        return True

    def add(self, pair: Pair) -> None:
        """Let two owners pass through each other until they are apart."""
        self.pairs.add(pair)
        self._near.add(pair)

    def candidates(self, count: int) -> list[Pair]:
        """End the cycle: make pairs with boxes apart solid again; returns a few other pairs to look at closely."""
        if not self.pairs:
            return []
        self.pairs &= self._near
        self._near.clear()
        pairs = sorted(self.pairs)
        start = self._turn % max(1, len(pairs))
        self._turn += count
        return (pairs[start:] + pairs[:start])[:count]

    def forget(self, owner: int) -> None:
        """Drop the pairs of a robot that leaves."""
        self.pairs = {pair for pair in self.pairs if owner not in pair}
