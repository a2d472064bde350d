"""Clients that do not read what they are sent, or far too slowly."""

from __future__ import annotations

from simspark_ros.clients.stress.arena import Arena, Attack

SMALL_BUFFER = 2048
"""The smallest that systems grant, bytes: the server's own buffers are full soon."""


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
    arena.send_blindly(3.0, arena.join(4, SMALL_BUFFER), "(he1 0.1)(syn)")


ATTACKS = (
    Attack("slow-readers", "players that read byte by byte", slow_readers, joins=True),
    Attack("never-readers", "players that never read", never_readers, joins=True),
)
