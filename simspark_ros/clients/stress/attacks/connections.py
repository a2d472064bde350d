"""Connections that come, go and stay in the wrong way."""

from __future__ import annotations

import contextlib
import socket

from simspark_ros.clients.stress.hostile_client import SCENE, Arena, Attack, framed


def half_open(arena: Arena) -> None:
    """Shut down one side and stay: as a stranger, as a robot without a number and as a player."""
    for how in (socket.SHUT_WR, socket.SHUT_RD):
        stranger = arena.connect()
        robot, player = arena.robots(2)
        player.send(f"(init (unum 0)(teamname {arena.team}))(syn)")
        arena.play(0.1, [robot, player])
        for client in (stranger, robot, player):
            with contextlib.suppress(OSError):
                client.socket.shutdown(how)
        arena.send_blindly(0.5, [robot, player])


def reset_storm(arena: Arena) -> None:
    """Reset connections at every stage of joining."""
    init = f"(init (unum 0)(teamname {arena.team}))"
    stages = (
        b"",
        b"\0\0",
        framed(SCENE.format(0))[:20],
        framed(SCENE.format(0)),
        framed(SCENE.format(1), init),
        framed(SCENE.format(2), init, "(he1 1)(syn)"),
    )
    for number in range(150):
        client = arena.connect()
        client.raw(stages[number % len(stages)])
        if number % 4 == 3:
            arena.play(0.02, [client])
        client.reset()
        if not arena.left:
            break


def join_and_reset(arena: Arena) -> None:
    """Become a player and reset the connection, again and again."""
    for _ in range(30):
        arena.join()[0].reset()
        if not arena.left:
            break


def churn(arena: Arena) -> None:
    """Connect and leave politely hundreds of times."""
    for _ in range(400):
        arena.connect().close()


def two_hundred(arena: Arena) -> None:
    """Hold 200 connections: idle ones, half a message, garbage, unknown commands."""
    payloads = (b"", b"\0\0\1", framed(")garbage("), framed("(he1 1)(syn)"))
    for number in range(200):
        # A server may stop accepting; whom it has it has to serve.
        try:
            client = arena.connect()
        except TimeoutError:
            break
        client.raw(payloads[number % len(payloads)])
    arena.idle(1.0)


def without_model(arena: Arena) -> None:
    """Connect and never ask for a robot, as agents do that crashed while starting; some send `(syn)` all the same."""
    clients = [arena.connect() for _ in range(6)]
    arena.send_blindly(1.5, clients[:2])
    arena.idle(0.5)


def joined_and_silent(arena: Arena) -> None:
    """Join, then neither send nor leave; in lock-step all wait for as long as the server allows."""
    clients = arena.join(2)
    end = min(arena.left, 14.0 if arena.lockstep else 1.0)
    while end > 0 and (any(client.is_open for client in clients) if arena.lockstep else True):
        arena.idle(0.1)
        end -= 0.1
        for client in clients:
            client.receive()


ATTACKS = (
    Attack("half-open", "one side of the connection shut down", half_open, joins=True),
    Attack("reset-storm", "150 resets at all stages of joining", reset_storm, joins=True),
    Attack("join-and-reset", "30 players that reset their connection", join_and_reset, joins=True),
    Attack("churn", "400 connections that end at once", churn),
    Attack("two-hundred", "200 connections at a time", two_hundred),
    Attack("without-model", "clients that never ask for a robot", without_model),
    Attack("joined-and-silent", "players that fall silent", joined_and_silent, joins=True, silent=True),
)
