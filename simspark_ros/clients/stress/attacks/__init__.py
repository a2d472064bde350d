"""All attacks, one module for each family."""

from simspark_ros.clients.stress.attacks import connections, expressions, floods, framing, monitors, players, reading
from simspark_ros.clients.stress.hostile_client import Attack

ATTACKS: tuple[Attack, ...] = (
    *framing.ATTACKS,
    *expressions.ATTACKS,
    *connections.ATTACKS,
    *reading.ATTACKS,
    *players.ATTACKS,
    *floods.ATTACKS,
    *monitors.ATTACKS,
)
"""In the order in which they are run."""
