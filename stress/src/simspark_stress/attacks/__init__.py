"""All attacks, one module for each family."""

from simspark_stress.attacks import connections, expressions, floods, framing, monitors, players, reading
from simspark_stress.hostile_client import Attack

_FAMILIES = (framing, expressions, connections, reading, players, floods, monitors)

ATTACKS = tuple(found for family in _FAMILIES for found in vars(family).values() if isinstance(found, Attack))
"""All attacks, in the order in which they run."""
