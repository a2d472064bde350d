"""The same match without attackers, whose state hashes quiet cases must not change."""

from __future__ import annotations

import time
from collections.abc import Sequence

from simspark_stress.fuzz.session import Fault, Session

_CATCHING_UP = 600.0
"""Longest time for a match without attackers to catch up with the attacked match, s."""


def hashes_alone(session: Session, cycles: int) -> list[str]:
    """Return the state hashes of a quiet session without cases, for so many cycles or as many as it reaches in time."""
    end = time.monotonic() + _CATCHING_UP
    while len(hashes := session.hashes()) < cycles and session.healthy and time.monotonic() < end:
        time.sleep(0.2)
    return hashes


def difference(reference: Sequence[str], found: Sequence[str]) -> int | None:
    """Return the index of the first line that differs; None if all are equal."""
    pairs = zip(reference, found, strict=False)
    return next((at for at, (expected, seen) in enumerate(pairs) if expected != seen), None)


def other_hash(reference: Sequence[str], hashes: Sequence[str]) -> list[Fault]:
    """Return a fault if the hashes differ from those of the reference."""
    at = difference(reference, hashes)
    return [] if at is None else [Fault("state hash", f"differs from the match without attackers: {hashes[at]}")]
