"""Messages cut, joined and announced in every way (protocol reference, section 1)."""

from __future__ import annotations

import struct

from simspark_ros.clients.stress.hostile_client import SCENE, Attack, AttackContext, HostileClient, framed

SIZES = sorted(
    {0, 3_000_000_000, 2**32 - 4}
    | {2**power + offset for power in range(33) for offset in (-1, 0, 1) if 0 <= 2**power + offset < 2**32}
)
"""Announced lengths: all powers of two and their neighbours, and those that killed or stalled a server."""


def split_everywhere(context: AttackContext) -> None:
    """Cut a message in two at every byte, then send others byte by byte."""
    (client,) = context.join()
    message = framed("(lae1 0.5)(rae1 -0.5)(syn)")
    for cut in range(1, len(message)):
        client.raw(message[:cut])
        context.play(0.01, [client])
        client.raw(message[cut:])
        context.play(0.02, [client])
    for byte in framed("(he2 0.1)(syn)", "(say bytes)(syn)") * 5:
        client.raw(bytes([byte]))
    context.play(0.2, [client])


def coalesced(context: AttackContext) -> None:
    """Send a whole session and hundreds of messages in one write, then cut the same stream at odd places."""
    init = f"(init (unum 0)(teamname {context.team}))"
    stream = framed(SCENE.format(0), init, *["(he1 1)(syn)", "(he2 0.5)"] * 200)
    client = context.connect()
    client.raw(stream)
    context.play(0.5, [client])
    other = context.connect()
    start = 0
    while start < len(stream):
        end = start + context.random.choice((1, 2, 3, 5, 7, 64, 1000))
        other.raw(stream[start:end])
        start = end
    context.play(0.5, [client, other])


def announced_sizes(context: AttackContext) -> None:
    """Announce every size up to 4 GiB and send little of it, then hold the connections open."""
    for size in SIZES:
        client = context.connect()
        client.raw(struct.pack(">I", size) + b"(scene rsg/agent")
    context.idle(0.5)
    for client in context.clients[:]:
        client.raw(b"/etc/passwd)(syn)" * 20)
    context.idle(0.3)


def sizes_of_a_player(context: AttackContext) -> None:
    """Announce absurd sizes as a robot that was accepted."""
    for size in (2**31 - 1, 2**31, 3_000_000_000, 2**32 - 4, 2**32 - 1):
        (client,) = context.join()
        client.raw(struct.pack(">I", size) + b"(he1 1)(syn)")
        context.play(0.1, [client])
        client.close()


def a_large_message(context: AttackContext) -> None:
    """Announce megabytes and really send them."""
    client = context.connect()
    client.raw(struct.pack(">I", 64 << 20))
    for _ in range(64):
        if not context.left or not client.raw(b"(he1 1)(" * 8192):
            break


def truncated(context: AttackContext) -> None:
    """Leave in the middle of a header or a message, politely and by reset; stay silent there too."""
    whole = framed(SCENE.format(0))
    for cut in range(len(whole)):
        for leave in (HostileClient.close, HostileClient.reset):
            client = context.connect()
            client.raw(whole[:cut])
            leave(client)
    for cut in (1, 2, 3, 4, 5, 20):
        context.connect().raw(whole[:cut])
    context.idle(0.5)


ATTACKS = (
    Attack("splits", "messages cut in two at every byte, and byte by byte", split_everywhere, joins=True),
    Attack("coalescing", "a session and 400 messages in one write, cut at odd places", coalesced, joins=True),
    Attack("announced-sizes", f"{len(SIZES)} announced sizes from 0 to 2^32-1", announced_sizes),
    Attack("sizes-of-a-player", "a robot announces up to 2^32-1 bytes", sizes_of_a_player, joins=True),
    Attack("large-message", "64 MiB announced and sent", a_large_message),
    Attack("truncated", "connections that end or rest inside a message", truncated),
)
