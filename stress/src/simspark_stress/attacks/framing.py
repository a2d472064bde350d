"""Messages that are cut, joined or announced with wrong lengths (protocol reference, section 1)."""

from __future__ import annotations

import struct

from simspark_stress.hostile_client import AttackContext, HostileClient, attack, framed

SIZES = sorted(
    {0, 3_000_000_000, 2**32 - 4}
    | {2**power + offset for power in range(33) for offset in (-1, 0, 1) if 0 <= 2**power + offset < 2**32}
)
"""Announced lengths: all powers of two and their neighbours, and lengths that once killed or stalled a server."""


@attack("splits", joins=True)
def split_everywhere(context: AttackContext) -> None:
    """Cut a message in two at every byte, then send messages byte by byte."""
    (client,) = context.join()
    message = framed(context.dialect.motions + "(syn)")
    for cut in range(1, len(message)):
        client.raw(message[:cut])
        context.play(0.01, [client])
        client.raw(message[cut:])
        context.play(0.02, [client])
    for byte in framed(context.dialect.turned(0.1), "(say bytes)(syn)") * 5:
        client.raw(bytes([byte]))
    context.play(0.2, [client])


@attack("coalescing", joins=True)
def coalesced(context: AttackContext) -> None:
    """Send a whole session and hundreds of messages in one write, then cut the same stream at odd places."""
    dialect = context.dialect
    later = framed(dialect.registered(context.team), *[dialect.turned(1.0), dialect.motions] * 200)
    client = context.connect()
    client.raw(framed(context.opening()) + later)
    context.play(0.5, [client])
    other = context.connect()
    stream = framed(context.opening()) + later
    start = 0
    while start < len(stream):
        end = start + context.random.choice((1, 2, 3, 5, 7, 64, 1000))
        other.raw(stream[start:end])
        start = end
    context.play(0.5, [client, other])


@attack("announced-sizes")
def announced_sizes(context: AttackContext) -> None:
    """Announce sizes up to 4 GiB, send only the beginning, and hold the connections open."""
    for size in SIZES:
        client = context.connect()
        client.raw(struct.pack(">I", size) + b"(scene rsg/agent")
    context.idle(0.5)
    for client in context.clients[:]:
        client.raw(b"/etc/passwd)(syn)" * 20)
    context.idle(0.3)


@attack("sizes-of-a-player", joins=True)
def sizes_of_a_player(context: AttackContext) -> None:
    """Announce absurd sizes as a player that was accepted."""
    for size in (2**31 - 1, 2**31, 3_000_000_000, 2**32 - 4, 2**32 - 1):
        (client,) = context.join()
        client.raw(struct.pack(">I", size) + context.dialect.motions.encode())
        context.play(0.1, [client])
        client.close()


@attack("large-message")
def a_large_message(context: AttackContext) -> None:
    """Announce 64 MiB and really send them."""
    client = context.connect()
    client.raw(struct.pack(">I", 64 << 20))
    for _ in range(64):
        if not context.left or not client.raw(b"(he1 1)(" * 8192):
            break


@attack("truncated")
def truncated(context: AttackContext) -> None:
    """Leave in the middle of a header or a message, by an orderly end or a reset, or stay and go silent."""
    whole = framed(context.opening())
    for cut in range(len(whole)):
        for leave in (HostileClient.close, HostileClient.reset):
            client = context.connect()
            client.raw(whole[:cut])
            leave(client)
    for cut in (1, 2, 3, 4, 5, 20):
        context.connect().raw(whole[:cut])
    context.idle(0.5)
