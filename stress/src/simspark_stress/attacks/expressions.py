"""Messages that are no proper S-expressions (protocol reference, section 5, "Malformed input")."""

from __future__ import annotations

import random
from collections.abc import Iterator

from simspark_stress.hostile_client import AttackContext, attack

COMMANDS = (
    "(scene rsg/agent/nao/nao_hetero.rsg 0)",
    "(init (unum 1)(teamname Hostile))",
    "(he1 1.5)(lae1 -2.0)(rle3 0.1)",
    "(beam -5 2 30)",
    "(say hello)",
    "(pass)",
    "(syn)",
)
"""Valid commands that the generator joins and damages."""

ATOMS = ("nan", "-inf", "1e999", "0x1f", "--1", "1.2.3", "9" * 400, "%s%n", "$(reboot)", "'", '"', "\\", ";", "\0", "")
NOISE = bytes(range(256))


def malformed(source: random.Random) -> bytes:
    """Make one message of commands that are joined, nested and damaged at random; equal seeds give equal messages."""
    return damage("".join(source.choices(COMMANDS, k=source.randint(1, 4))).encode("latin-1"), source)


def damage(message: bytes, source: random.Random) -> bytes:
    """Return the message cut, repeated, nested or overwritten in some places."""
    text = bytearray(message)
    for _ in range(source.randint(1, 6)):
        _DAMAGES[source.randrange(len(_DAMAGES))](text, source)
    return bytes(text)


def malformed_messages(seed: str, count: int) -> Iterator[bytes]:
    """Yield `count` malformed messages."""
    source = random.Random(seed)
    for _ in range(count):
        yield malformed(source)


def _place(text: bytearray, source: random.Random) -> int:
    return source.randint(0, len(text))


def _delete(text: bytearray, source: random.Random) -> None:
    start = _place(text, source)
    del text[start : start + source.randint(1, 5)]


def _insert_bracket(text: bytearray, source: random.Random) -> None:
    text[(at := _place(text, source)) : at] = source.choice((b"(", b")", b"((", b"))", b"()", b")(")) * source.randint(
        1, 3
    )


def _insert_atom(text: bytearray, source: random.Random) -> None:
    text[(at := _place(text, source)) : at] = b" " + source.choice(ATOMS).encode("latin-1") + b" "


def _insert_noise(text: bytearray, source: random.Random) -> None:
    text[(at := _place(text, source)) : at] = bytes(source.choices(NOISE, k=source.randint(1, 8)))


def _cut(text: bytearray, source: random.Random) -> None:
    del text[_place(text, source) :]


def _repeat(text: bytearray, source: random.Random) -> None:
    start = _place(text, source)
    text[start:start] = text[start : start + source.randint(1, 20)] * source.randint(1, 10)


def _nest(text: bytearray, source: random.Random) -> None:
    depth = source.choice((1, 3, 70, 500))
    text[:] = b"(" * depth + text + b")" * source.choice((depth, depth - 1, depth + 1))


_DAMAGES = (_delete, _insert_bracket, _insert_atom, _insert_noise, _cut, _repeat, _nest)


@attack("malformed", joins=True)
def damaged_commands(context: AttackContext) -> None:
    """Send thousands of malformed messages, from a robot and from a client without one."""
    robot = context.join()[0]
    stranger = context.connect()
    seed = str(context.random.random())
    for number, message in enumerate(malformed_messages(seed, 2000)):
        (robot if number % 2 else stranger).send(message)
        if not stranger.is_open:
            stranger = context.connect()
        if number % 20 == 0:
            context.play(0.005, [robot])
        if not context.left:
            break
    context.play(0.1, [robot])


@attack("deep-and-long", joins=True)
def deep_and_long(context: AttackContext) -> None:
    """Send messages as deeply nested and as long as common limits of their size allow."""
    robot = context.join()[0]
    for size in (1000, 10_000, 60_000, 65_000):
        for message in (
            "(" * size,
            ")" * size,
            "(" * (size // 2) + ")" * (size // 2),
            f"(he1 {'9' * size})(syn)",
            f"({'x' * size} 1)",
            f"(say {'x' * size})",
            f"(init (unum 1)(teamname {'x' * size}))",
            "(he1 1)" * (size // 7),
            '(say "' + "\\" * size,
            ";" * size,
        ):
            robot.send(message)
            context.play(0.01, [robot])
            if not robot.is_open:
                robot = context.join()[0]


@attack("noise")
def noise(context: AttackContext) -> None:
    """Send random bytes, with and without length prefixes, and beginnings of other protocols."""
    for _ in range(30):
        context.connect().raw(context.random.randbytes(2000))
        context.connect().send(context.random.randbytes(2000))
    for text in ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "SSH-2.0-x\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
        context.connect().raw(text.encode("latin-1"))
    context.idle(0.2)
