"""Limits on ROS clients and files that no setting changes; docs/reference/settings.md lists all. Without ROS."""

from __future__ import annotations

MAX_BRIDGE_AGENTS = 1024
"""Agents of one bridge at a time."""

MAX_SPAWNS, MAX_SOURCES = 100, 16
"""Requests in one SpawnEntities, and sources in one GetSpawnables or GetAvailableWorlds."""

MAX_BACKGROUND = 8
"""Requests of services that are worked on beside the simulation at a time."""

MAX_COMMANDS, MAX_LOLA_COMMANDS = 8, 64
"""Most commands on one topic of a robot, or of nao_lola, that wait for the next cycle; further ones are refused."""

LARGEST_RECORD = 1 << 30
"""Bytes of a record of an MCAP file; a chunk is in memory as a whole."""
