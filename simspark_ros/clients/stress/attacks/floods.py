"""Too much of what is allowed."""

from __future__ import annotations

from simspark_ros.clients.stress.arena import Arena, Attack, framed

_BURST = 1000


def _flood(arena: Arena, payload: str, messages: int, players: int = 2) -> None:
    """Send messages as fast as the server takes them, from several players that answer in between."""
    clients = arena.join(players)
    burst = framed(payload) * _BURST
    for _ in range(messages // _BURST):
        for client in clients:
            client.raw(burst)
        arena.play(0.01, clients)
        if not arena.left:
            break
    arena.play(0.2, clients)


def say_flood(arena: Arena) -> None:
    """Say thousands of messages, in many and in one, and all that is too long or unprintable."""
    talker = arena.join()[0]
    talker.send("(say x)" * 5000)
    for text in (
        "x" * 21,
        "x" * 2000,
        "two words",
        "(say)",
        "\x01\x02",
        "nan",
        "'",
        '"',
        '"a b"',
        "a\\)b",
        "\xff",
        ";",
    ):
        talker.send(f"(say {text})(syn)")
        arena.play(0.02, [talker])
    # In lock-step all would wait for it.
    talker.close()
    _flood(arena, "(say flood)(syn)", 10_000, players=3)


def syn_flood(arena: Arena) -> None:
    """Send `(syn)` thousands of times more often than there are cycles."""
    _flood(arena, "(syn)", 40_000)


def joint_flood(arena: Arena) -> None:
    """Send megabytes of joint commands."""
    _flood(arena, "(lae1 1)(rae1 -1)(he2 0.1)(lle3 1)", 20_000)


def empty_flood(arena: Arena) -> None:
    """Send messages without content, which cost the sender four bytes each."""
    _flood(arena, "", 100_000)


def init_flood(arena: Arena) -> None:
    """Ask for numbers and places thousands of times."""
    _flood(arena, f"(init (unum 0)(teamname {arena.team}))(beam -3 -3 0)(pass)(syn)", 6000)


def unknown_flood(arena: Arena) -> None:
    """Have the server complain thousands of times: its log must not fill a disk."""
    _flood(arena, "(bogus 1)(he1 x))(", 20_000)


ATTACKS = (
    Attack("say-flood", "say by the thousand, too long and unprintable", say_flood, joins=True),
    Attack("syn-flood", "80000 superfluous (syn)", syn_flood, joins=True),
    Attack("joint-flood", "megabytes of joint commands", joint_flood, joins=True),
    Attack("empty-flood", "200000 empty messages", empty_flood, joins=True),
    Attack("init-flood", "init, beam and pass by the thousand", init_flood, joins=True),
    Attack("unknown-flood", "40000 messages to complain about", unknown_flood, joins=True),
)
