"""Rate limit in batches, for robots that join and leave."""

from __future__ import annotations


class TokenBucket:
    """Tokens that may be used at once; once they are used up, none before the bucket is full again.

    A batch every few cycles is cheaper than one robot a cycle: tables of all robots, and on some engines the whole
    world, are rebuilt once for all that come in a cycle.

    Args:
        size: tokens of a full bucket.
        rate: tokens gained per cycle.
    """

    def __init__(self, size: int, rate: int) -> None:
        self._size, self._rate = size, rate
        self._left = size
        self._recovering = False

    def refill(self) -> int:
        """Add the tokens of a new cycle; return the number that may be used in it."""
        self._left = self._left + self._rate if self._left + self._rate < self._size else self._size
        self._recovering = self._recovering and self._left < self._size
        return 0 if self._recovering else self._left

    def take(self, count: int) -> None:
        """Use up `count` tokens."""
        self._left -= count
        self._recovering = self._recovering or self._left <= 0
