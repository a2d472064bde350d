"""Common parts of the grammars of all doors: absurd values, damage to expressions, and ways to send a message."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import TypeAlias

from simspark_stress.attacks.expressions import ATOMS, damage
from simspark_stress.attacks.players import NUMBERS, PATHS
from simspark_stress.fuzz.case import Step

Tree: TypeAlias = "str | list[Tree]"
"""An S-expression."""

SIZES = (0, 1, 3, 2**16 - 1, 2**16 + 1, 2**24, 2**31 - 1, 2**31, 2**32 - 1)
"""Announced lengths that no message has."""

WORDS = ("", "x" * 300, "x" * 5000, "\xc3\xa4\xe2\x82\xac", "\xff\xfe", "\0", "(", "NaN", "__class__", *PATHS, *ATOMS)

PAUSES = (0.0, 0.001, 0.005, 0.02, 0.05)
"""Lengths of pauses, s."""


def number(source: random.Random, low: float = -10.0, high: float = 10.0) -> str:
    """Draw the text of a number: mostly between two limits, sometimes an extreme number or a text that is no number."""
    if source.random() < 0.25:
        return source.choice(NUMBERS)
    return f"{source.uniform(low, high):.{source.randint(0, 6)}f}"


def word(source: random.Random, *usual: str) -> str:
    """Draw one of the usual words, or sometimes an absurd one."""
    return source.choice(WORDS) if source.random() < 0.1 else source.choice(usual)


def rendered(tree: Tree) -> str:
    """Return the text of an expression."""
    return tree if isinstance(tree, str) else "(" + " ".join(map(rendered, tree)) + ")"


def message(source: random.Random, commands: Sequence[Tree], broken: float = 0.5) -> str:
    """Return the text of some commands. Trees are changed with the probability `broken`, bytes with half of it."""
    trees = list(commands)
    if source.random() < broken:
        for _ in range(source.randint(1, 3)):
            trees = _changed(trees, source)
    text = "".join(map(rendered, trees))
    if source.random() < broken / 2:
        text = damage(text.encode("latin-1", "replace"), source).decode("latin-1")
    return text


def sent(source: random.Random, who: int, text: str) -> list[Step]:
    """Draw steps that send a message: mostly as it is, else in pieces, incomplete, repeated, or with a wrong length."""
    way = source.random()
    if way < 0.75:
        return [["message", who, text]]
    if way < 0.9:
        cuts = sorted(source.randint(0, len(text) + 4) for _ in range(source.randint(1, 4)))
        return [["message", who, text, cuts, source.choice(PAUSES[:3])]]
    data = struct.pack(">I", len(text)).decode("latin-1") + text
    if way < 0.94:
        return [["raw", who, data[: source.randint(0, len(data))]]]
    if way < 0.97:
        return [["raw", who, data * source.randint(2, 20)]]
    wrong = source.choice(SIZES) if source.random() < 0.5 else max(0, len(text) + source.randint(-5, 5))
    return [["raw", who, struct.pack(">I", wrong).decode("latin-1") + text]]


def ended(source: random.Random, who: int | str) -> list[Step]:
    """Draw steps at the end of a connection: perhaps a pause, then perhaps a reset or an orderly end."""
    steps: list[Step] = []
    if source.random() < 0.3:
        steps.append(["wait", source.choice(PAUSES)])
    if source.random() < 0.5:
        steps.append([source.choice(("reset", "close")), who])
    return steps


def woven(source: random.Random, threads: Sequence[list[Step]]) -> list[Step]:
    """Merge the steps of several clients at random; each client's steps keep their order."""
    turns = [number for number, steps in enumerate(threads) for _ in steps]
    source.shuffle(turns)
    iterators = [iter(steps) for steps in threads]
    return [next(iterators[number]) for number in turns]


def _changed(trees: list[Tree], source: random.Random) -> list[Tree]:
    """Return a copy in which one node is dropped, repeated, moved, nested, replaced or changed inside."""
    if not trees:
        return [word(source, "x")]
    at = source.randrange(len(trees))
    chosen = trees[at]
    before, after = trees[:at], trees[at + 1 :]
    if isinstance(chosen, list) and source.random() < 0.6:
        return [*before, _changed(chosen, source), *after]
    match source.randrange(6):
        case 0:
            return before + after
        case 1:
            return [*before, *[chosen] * source.choice((2, 3, 20, 200)), *after]
        case 2:
            return [*after, chosen, *before]
        case 3:
            for _ in range(source.choice((1, 2, 50))):
                chosen = [chosen]
            return [*before, chosen, *after]
        case 4:
            return [*before, number(source), *after]
        case _:
            return [*before, word(source, "x", "1", "()"), *after]


def damaged_bytes(data: bytes, source: random.Random) -> bytes:
    """Return a binary message with some bytes changed, cut out, repeated, or overwritten by extreme numbers."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randint(0, len(changed))
        match source.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([source.randrange(256)])
            case 1:
                del changed[at : at + source.randint(1, 8)]
            case 2:
                changed[at:at] = changed[at : at + source.randint(1, 16)] * source.choice((1, 2, 100))
            case 3:
                changed[at : at + 4] = source.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0"))
            case _:
                del changed[at:]
    return bytes(changed)
