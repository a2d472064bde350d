"""All attacks, one module for each family."""

from simspark_stress.attacks import connections, expressions, floods, framing, monitors, players, reading
from simspark_stress.attacks.newer_league import NEWER_LEAGUE
from simspark_stress.hostile_client import Attack

_FAMILIES = (framing, expressions, connections, reading, players, floods, monitors)

ATTACKS = tuple(found for family in _FAMILIES for found in vars(family).values() if isinstance(found, Attack))
"""All attacks on the classic protocol, in the order in which they run."""

_SHARED = (framing, connections, reading, floods)
"""Families of attacks that do not depend on the language."""

ATTACKS_2026 = (
    *NEWER_LEAGUE,
    *(found for family in _SHARED for found in vars(family).values() if isinstance(found, Attack)),
)
"""All attacks on the protocols of the league since 2026."""
