"""Finds robots that were put into each other so deep that solving their contacts would take seconds a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

Pair = tuple[int, int]
"""Handles of two robots, the lower one first."""

PATIENCE = 25
"""Cycles after which pairs that were put into each other are looked at again."""

# Most contacts of two robots that came together by moving.
_MOST_IN_PAIR = 30
# Contacts between robots in the whole world that can be solved in well under a second.
_MOST_IN_ALL = 150


def pair_of(one: int, other: int) -> Pair:
    """The pair of two handles, the same for both orders."""
    return (one, other) if one < other else (other, one)


def overlapping(contacts: Mapping[Pair, int], stuck: Set[int] = frozenset()) -> list[Pair]:
    """The pairs to be separated: the pairs with most contacts first, until the contacts that are left are few.

    Pairs with a robot of `stuck` are always included. contacts: number of contacts by pair.
    """
    left, found = sum(contacts.values()), []
    for pair, count in sorted(contacts.items(), key=lambda item: (-item[1], item[0])):
        if count > _MOST_IN_PAIR or left > _MOST_IN_ALL or not stuck.isdisjoint(pair):
            left -= count
            found.append(pair)
    return found


def members(pairs: Iterable[Pair]) -> set[int]:
    """All handles in pairs."""
    return {handle for pair in pairs for handle in pair}
