"""All attacks, one module for each family."""

from simspark_ros.clients.stress.arena import Attack
from simspark_ros.clients.stress.attacks import connections, expressions, floods, framing, monitors, players, reading

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
