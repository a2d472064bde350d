"""Attacks by clients that read nothing, or read far too slowly."""

from __future__ import annotations

from simspark_stress.hostile_client import AttackContext, attack

SMALL_BUFFER = 8192
"""Size of a receive buffer, bytes: small, so that the server's buffers fill soon, but enough to join without delay."""


@attack("slow-readers", joins=True)
def slow_readers(context: AttackContext) -> None:
    """Read one byte at a time while answering as if all were well."""
    clients = context.join(3, SMALL_BUFFER)
    for _ in range(300):
        for client in clients:
            client.send(context.dialect.turned(0.2))
            client.receive(1)
        context.idle(0.005)


@attack("never-readers", joins=True)
def never_readers(context: AttackContext) -> None:
    """Join, answer and never read."""
    clients = context.join(4, SMALL_BUFFER)
    # This long, buffers of some 256 KiB fill with messages of 1 to 2 KiB.
    context.send_blindly(3.0 if context.lockstep else 6.0, clients, context.dialect.turned(0.1))
