"""How many robots may come or go in a cycle: what each costs is bounded on average, and is paid for in batches."""

from __future__ import annotations


class Allowance:
    """Grants some at once, and after they are used up none until there are as many again.

    A batch every few cycles is cheaper than one robot a cycle: tables of all robots, and on some engines the whole
    world, are made anew once for all that come in a cycle.
    """

    def __init__(self, most: int, refill: int) -> None:
        """Begin with a full allowance.

        Args:
            most: granted at once.
            refill: gained per cycle.
        """
        self._most, self._refill = most, refill
        self._left = most
        self._recovering = False

    def grant(self) -> int:
        """A new cycle: how many there may be in it."""
        self._left = min(self._left + self._refill, self._most)
        self._recovering = self._recovering and self._left < self._most
        return 0 if self._recovering else self._left

    def spend(self, count: int) -> None:
        """So many there were."""
        self._left -= count
        self._recovering = self._recovering or self._left <= 0
