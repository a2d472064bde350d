"""Which robots were put into each other so deep that solving their contacts would take seconds a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

Pair = tuple[int, int]
"""Handles of two robots, the lower one first."""

PATIENCE = 25
"""Pairs that were put into each other are looked at again after this many cycles."""

# More contacts than this do not happen between two robots that came together by moving.
_MOST_IN_PAIR = 30
# Contacts between robots in the whole world that are solved in well under a second.
_MOST_IN_ALL = 150


def pair_of(one: int, other: int) -> Pair:
    """The same for both orders."""
    return (one, other) if one < other else (other, one)


def overlapping(contacts: Mapping[Pair, int], stuck: Set[int] = frozenset()) -> list[Pair]:
    """The pairs to be separated, by numbers of contacts, those with most contacts first, until the others are few.

    Pairs with a robot of `stuck` are always among them.
    """
    left, found = sum(contacts.values()), []
    for pair, count in sorted(contacts.items(), key=lambda item: (-item[1], item[0])):
        if count > _MOST_IN_PAIR or left > _MOST_IN_ALL or not stuck.isdisjoint(pair):
            left -= count
            found.append(pair)
    return found


def members(pairs: Iterable[Pair]) -> set[int]:
    """The handles in pairs."""
    return {handle for pair in pairs for handle in pair}
