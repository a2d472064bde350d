"""The same match without attackers: quiet cases must leave its state hashes as they are."""

from __future__ import annotations

import time
from collections.abc import Sequence

from simspark_stress.fuzz.session import Fault, Session

_CATCHING_UP = 600.0
"""How long a match without attackers may take to get as far as one with them, s."""


def hashes_alone(session: Session, cycles: int) -> list[str]:
    """The state hashes of a quiet session in which nothing is played, for some cycles or as far as it gets."""
    end = time.monotonic() + _CATCHING_UP
    while len(hashes := session.hashes()) < cycles and session.healthy and time.monotonic() < end:
        time.sleep(0.2)
    return hashes


def difference(reference: Sequence[str], found: Sequence[str]) -> int | None:
    """Index of the first line that differs, None if there is none."""
    pairs = zip(reference, found, strict=False)
    return next((at for at, (expected, seen) in enumerate(pairs) if expected != seen), None)


def other_hash(reference: Sequence[str], hashes: Sequence[str]) -> list[Fault]:
    """The fault of hashes that are not those of the reference."""
    at = difference(reference, hashes)
    return [] if at is None else [Fault("state hash", f"another one than without attackers: {hashes[at]}")]
