"""Attacks by too many valid messages."""

from __future__ import annotations

from simspark_stress.hostile_client import Attack, AttackContext, attack, framed

_BURST = 500
_LASTING = 2.0
"""Duration of each flood, s; shorter floods vanish in buffers."""


def _flood(context: AttackContext, payload: str, players: int = 3) -> None:
    """Send a message as often as the server accepts it, from several players that also answer."""
    clients = context.join(players)
    burst = framed(payload) * _BURST
    left = context.left
    while context.left > max(0.0, left - _LASTING) and any(client.is_open for client in clients):
        for client in clients:
            client.push(burst)
        context.play(0.01, clients)


@attack("say-flood", joins=True)
def say_flood(context: AttackContext) -> None:
    """Say thousands of words, one or many per message, then words that are too long or unprintable."""
    talker = context.join()[0]
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
        context.play(0.02, [talker])
    # In lock-step the others would wait for the talker.
    talker.close()
    _flood(context, "(say flood)(syn)")


def _flood_of(name: str, text: str, payload: str) -> Attack:
    def run(context: AttackContext) -> None:
        _flood(context, payload.format(team=context.team, motions=context.dialect.motions))

    return Attack(name, text, run, joins=True)


syn_flood = _flood_of("syn-flood", "Send `(syn)` thousands of times more often than there are cycles", "(syn)")
joint_flood = _flood_of("joint-flood", "Send megabytes of joint commands", "{motions}")
empty_flood = _flood_of("empty-flood", "Send empty messages, which cost the sender only four bytes each", "")
init_flood = _flood_of(
    "init-flood",
    "Ask for uniform numbers and places thousands of times",
    "(init (unum 0)(teamname {team}))(beam -3 -3 0)(pass)(syn)",
)
unknown_flood = _flood_of(
    "unknown-flood", "Make the server complain thousands of times: its log must not fill the disk", "(bogus 1)(he1 x))("
)
