"""S-expressions of RSG files, with the lines where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from simspark_ros.configuration.errors import shown
from simspark_ros.robots.description import RobotError

MAX_DEPTH = 100
"""Most lists within one another."""

_TOKEN = re.compile(
    r"""\s+|;[^\n]*|(?P<open>\()|(?P<close>\))|'(?P<one>[^'\n]*)'|"(?P<two>[^"\n]*)"|(?P<atom>[^\s()'";]+)"""
)


@dataclass(frozen=True)
class Atom:
    """A word, a number, a `$variable` or a quoted text."""

    text: str
    line: int
    quoted: bool = False


@dataclass(frozen=True)
class Listing:
    """A list in brackets; `line` is the line of the opening bracket."""

    items: tuple[Expression, ...]
    line: int

    @property
    def head(self) -> str:
        """The word in front, empty if there is none."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Atom) else ""


Expression: TypeAlias = Atom | Listing


def read_rsg_text(path: Path, text: str) -> Listing:
    """The list of expressions of an RSG file, which follows its header `(RSG 0 1)`.

    Raises:
        RobotError: the text is no RSG.
    """
    expressions = _expressions(path, text)
    if not expressions or not isinstance(expressions[0], Listing) or expressions[0].head != "RSG":
        raise RobotError(f"{path}:1: an RSG file starts with (RSG 0 1)")
    if len(expressions) != 2 or not isinstance(expressions[1], Listing):
        raise RobotError(f"{path}:1: after its header an RSG file must have exactly one list of expressions")
    return expressions[1]


def _expressions(path: Path, text: str) -> list[Expression]:
    stack: list[tuple[list[Expression], int]] = [([], 1)]
    line, place = 1, 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise RobotError(f"{path}:{line}: {shown(text[place : place + 10])}: a quote is not closed on its line")
        if found.lastgroup == "open":
            if len(stack) > MAX_DEPTH:
                raise RobotError(f"{path}:{line}: lists are nested more than {MAX_DEPTH} deep")
            stack.append(([], line))
        elif found.lastgroup == "close":
            if len(stack) == 1:
                raise RobotError(f"{path}:{line}: a closing bracket has no opening bracket")
            items, begin = stack.pop()
            stack[-1][0].append(Listing(tuple(items), begin))
        elif found.lastgroup is not None:
            stack[-1][0].append(Atom(found[found.lastgroup], line, found.lastgroup != "atom"))
        line += found[0].count("\n")
        place = found.end()
    if len(stack) > 1:
        raise RobotError(f"{path}:{stack[-1][1]}: a bracket is not closed")
    return stack[0][0]
