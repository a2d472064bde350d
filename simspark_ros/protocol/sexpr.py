"""S-expressions as the classic server reads them: tolerant, in linear time, with bounded nesting.

The rules are those of the protocol reference, section 5 ("Malformed input"): an unknown or odd expression costs only
itself, while a closing bracket too many, a control byte or an expression that is never closed costs the rest of the
message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Union

Expression = Union[str, "list[Expression]"]

MAX_DEPTH = 64
"""Brackets that may be open at once; no command of the protocol needs more than three."""

_ATOM = r"[^\x00-\x20\"'()\x7f]"
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_FAULT = r'["\x00-\x08\x0b\x0c\x0e-\x1f\x7f]'
# White space and ' match nothing, so they only separate. A comment has to be matched to be skipped.
_TOKEN = re.compile(rf"""[()]|;[^\n]*|(?:\\[()"'\\]|{_ATOM})+|{_QUOTED}|{_FAULT}""", re.DOTALL)
# Tokens that are no plain atoms, by their first character.
_SPECIAL = frozenset('";\x7f' + "".join(map(chr, range(32))))
_ESCAPE = re.compile(r"\\([()\"'\\])")


class Quoted(str):
    """An atom that was written in double quotes."""


def parse(text: bytes | str) -> list[Expression]:
    """Read all top-level expressions of a message; see `scan` for what is lost and when.

    Args:
        text: one message; bytes are taken as Latin-1, so none is refused.

    Returns:
        Lists and atoms, nested as in the text. Never raises, whatever the text.
    """
    return scan(text)[0]


def scan(text: bytes | str) -> tuple[list[Expression], str]:
    """Read a message and say what is wrong with it.

    An atom ends at white space, a bracket or a quote. A `'` does nothing else; a `;` that begins a token starts a
    comment up to the end of the line. A backslash takes the special meaning from a bracket, a quote or itself.

    Args:
        text: one message; bytes are taken as Latin-1.

    Returns:
        The expressions that were complete before the first fault, and the fault, or "" for a well-formed message.
    """
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    top: list[Expression] = []
    current = top
    enclosing: list[list[Expression]] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            if len(enclosing) == MAX_DEPTH:
                return _complete(top, enclosing), f"more than {MAX_DEPTH} brackets open at once"
            inner: list[Expression] = []
            current.append(inner)
            enclosing.append(current)
            current = inner
        elif token == ")":
            if not enclosing:
                return top, "')' without '('"
            current = enclosing.pop()
        elif token[0] not in _SPECIAL:
            current.append(_unescaped(token) if "\\" in token else token)
        elif token[0] == '"':
            if len(token) == 1:
                return _complete(top, enclosing), "a quoted string has no end"
            current.append(Quoted(_unescaped(token[1:-1])))
        elif token[0] != ";":
            return _complete(top, enclosing), f"control byte 0x{ord(token):02x}"
    if enclosing:
        return _complete(top, enclosing), "'(' without ')'"
    return top, ""


def write(expressions: Iterable[Expression]) -> str:
    """Write expressions so that `parse` reads them back: items separated by one blank, top-level lists by nothing."""
    pieces: list[str] = []
    for expression in expressions:
        if isinstance(expression, list):
            pieces.append(f"({_items(expression)})")
        else:
            pieces.append(f" {_atom(expression)} ")
    return "".join(pieces)


def _items(items: list[Expression]) -> str:
    return " ".join(f"({_items(item)})" if isinstance(item, list) else _atom(item) for item in items)


def _atom(atom: str) -> str:
    escaped = re.sub(r"([()\"'\\])", r"\\\1", atom)
    return f'"{escaped}"' if isinstance(atom, Quoted) else escaped


def _unescaped(atom: str) -> str:
    return _ESCAPE.sub(r"\1", atom)


def _complete(top: list[Expression], enclosing: list[list[Expression]]) -> list[Expression]:
    """Drop the top-level list that was still open when reading stopped."""
    return top[:-1] if enclosing else top
