"""Clients that do not read what they are sent, or far too slowly."""

from __future__ import annotations

from simspark_ros.clients.stress.hostile_client import Arena, Attack

SMALL_BUFFER = 8192
"""Bytes: little, so that the server's own buffers fill soon, but enough to join without delays by TCP."""


def slow_readers(arena: Arena) -> None:
    """Read one byte at a time while answering as if all were well."""
    clients = arena.join(3, SMALL_BUFFER)
    for _ in range(300):
        for client in clients:
            client.send("(he1 0.2)(syn)")
            client.receive(1)
        arena.idle(0.005)


def never_readers(arena: Arena) -> None:
    """Join, answer and never read."""
    clients = arena.join(4, SMALL_BUFFER)
    # Until buffers of some 256 KiB are full, with 1 to 2 KiB a message.
    arena.send_blindly(3.0 if arena.lockstep else 6.0, clients, "(he1 0.1)(syn)")


ATTACKS = (
    Attack("slow-readers", "players that read byte by byte", slow_readers, joins=True),
    Attack("never-readers", "players that never read", never_readers, joins=True),
)
