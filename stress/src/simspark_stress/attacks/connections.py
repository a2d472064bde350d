"""Attacks by connecting, staying connected and disconnecting in the wrong way."""

from __future__ import annotations

import contextlib
import socket

from simspark_stress.hostile_client import AttackContext, attack, framed


@attack("half-open", joins=True)
def half_open(context: AttackContext) -> None:
    """Shut down one direction of a connection and stay: as a stranger, as a robot without a number and as a player."""
    for how in (socket.SHUT_WR, socket.SHUT_RD):
        stranger = context.connect()
        robot, player = context.robots(2)
        player.send(context.dialect.registered(context.team))
        context.play(0.1, [robot, player])
        for client in (stranger, robot, player):
            with contextlib.suppress(OSError):
                client.socket.shutdown(how)
        context.send_blindly(0.5, [robot, player])


@attack("reset-storm", joins=True)
def reset_storm(context: AttackContext) -> None:
    """Reset connections at every stage of joining."""
    dialect = context.dialect
    for number in range(150):
        client = context.connect()
        words = (context.opening(), dialect.registered(context.team), dialect.turned(1.0))
        stages = (b"", b"\0\0", framed(words[0])[:20], framed(words[0]), framed(*words[:2]), framed(*words))
        client.raw(stages[number % len(stages)])
        if number % 4 == 3:
            context.play(0.02, [client])
        client.reset()
        if not context.left:
            break


@attack("join-and-reset", joins=True)
def join_and_reset(context: AttackContext) -> None:
    """Become a player and reset the connection, again and again."""
    for _ in range(30):
        context.join()[0].reset()
        if not context.left:
            break


@attack("churn")
def churn(context: AttackContext) -> None:
    """Connect and leave politely hundreds of times."""
    for _ in range(400):
        context.connect().close()


@attack("two-hundred")
def two_hundred(context: AttackContext) -> None:
    """Hold 200 connections that send nothing, half a message, garbage or commands without a robot."""
    payloads = (b"", b"\0\0\1", framed(")garbage("), framed(context.dialect.turned(1.0)))
    for number in range(200):
        # A server may stop accepting connections, but it has to serve the clients it has.
        try:
            client = context.connect()
        except TimeoutError:
            break
        client.raw(payloads[number % len(payloads)])
    context.idle(1.0)


@attack("without-model")
def without_model(context: AttackContext) -> None:
    """Connect and never ask for a robot, like agents that crashed while starting; some send `(syn)` nevertheless."""
    clients = [context.connect() for _ in range(6)]
    context.send_blindly(1.5, clients[:2])
    context.idle(0.5)


@attack("joined-and-silent", joins=True, silent=True)
def joined_and_silent(context: AttackContext) -> None:
    """Join, then neither send nor leave; in lock-step the match stops for as long as the server waits."""
    clients = context.join(2)
    end = min(context.left, 14.0 if context.lockstep else 1.0)
    while end > 0 and (any(client.is_open for client in clients) if context.lockstep else True):
        context.idle(0.1)
        end -= 0.1
        for client in clients:
            client.receive()
