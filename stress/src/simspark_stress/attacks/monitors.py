"""Attacks on the port of monitors and trainers (protocol reference, section 6).

No attack sends a valid command that changes the game, since a trainer may change the game.
"""

from __future__ import annotations

import struct

from simspark_stress.attacks.expressions import malformed_messages
from simspark_stress.hostile_client import AttackContext, attack, framed

GARBAGE = (
    "(ball (pos nan nan nan))",
    "(ball (vel inf -inf nan))",
    "(ball (pos 1e999 0 0)(vel 0 0 0))",
    "(ball (pos 1))",
    "(ball)",
    "(agent (unum 99)(team Left)(pos 0 0 0))",
    "(agent (unum -1)(team Left)(pos nan nan nan))",
    "(agent (unum 1)(team Nobody)(move nan 0 0 0))",
    "(agent (unum 99999999999999)(team Right)(move 0 0 1e999 0))",
    "(playMode NoSuchMode)",
    "(playMode)",
    "(playMode ((((PlayOn)))))",
    "(select (unum 99999999999999)(team Left))",
    "(kill (unum 99)(team Left))",
    "(kill (unum nan)(team nan))",
    "(repos (unum 99)(team Right))",
    "(time nan)",
    "(time inf)",
    "(time x)",
    "(time)",
    "(score (left nan)(right inf))",
    "(score (left 99999999999999999999)(right x))",
    "(getAck)",
    "(init (unum 1)(teamname X))",
    "(scene ../../../../etc/passwd)",
    "(he1 1)(syn)",
)


@attack("monitor-never-reads", monitor=True)
def never_reading_monitors(context: AttackContext) -> None:
    """Connect monitors that ask for full frames and never read them."""
    monitors = [context.connect(monitor=True, receive_buffer=2048) for _ in range(8)]
    context.send_blindly(2.0, monitors, "(reqfullstate)")


@attack("trainer-garbage", monitor=True)
def garbage_trainer(context: AttackContext) -> None:
    """Send trainer commands that are wrong in every part, and malformed ones."""
    trainer = context.connect(monitor=True)
    for message in GARBAGE:
        trainer.send(message)
        trainer.receive()
        context.idle(0.005)
    trainer.send("".join(GARBAGE) * 20)
    for damaged in malformed_messages(str(context.random.random()), 500):
        if not trainer.is_open:
            trainer = context.connect(monitor=True)
        trainer.send(damaged)
        trainer.receive()
    context.idle(0.2)


@attack("monitor-sizes", monitor=True)
def monitor_sizes(context: AttackContext) -> None:
    """Announce absurd sizes on the monitors' port and leave the messages unfinished."""
    for size in (0, 1, 2**16, 2**24, 2**31 - 1, 2**31, 3_000_000_000, 2**32 - 4, 2**32 - 1):
        context.connect(monitor=True).raw(struct.pack(">I", size) + b"(reqfull")
    context.idle(0.5)


@attack("monitor-crowd", monitor=True)
def monitor_crowd(context: AttackContext) -> None:
    """Connect 100 monitors that reset the connection, or stay without reading."""
    for number in range(100):
        try:
            monitor = context.connect(monitor=True)
        except TimeoutError:
            break
        if number % 3 == 0:
            monitor.reset()
        elif number % 3 == 1:
            monitor.send("(reqfullstate)")
    context.idle(1.0)


@attack("monitor-flood", monitor=True)
def monitor_flood(context: AttackContext) -> None:
    """Ask for full frames by the thousand while reading them."""
    monitor = context.connect(monitor=True)
    burst = framed("(reqfullstate)(getAck)") * 500
    for _ in range(20):
        monitor.raw(burst)
        for _ in range(20):
            monitor.receive()
        context.idle(0.02)
        if not context.left:
            break
