"""S-expressions as the classic server reads them: tolerant, in linear time, with bounded nesting.

The rules are in the protocol reference, section 5 ("Malformed input"): an unknown or odd expression costs only
itself, while a closing bracket too many, a control byte or an expression that is never closed costs the rest of the
message.
"""

from __future__ import annotations

import re
from typing import Union

Expression = Union[str, "list[Expression]"]

MAX_DEPTH = 64
"""Most brackets that may be open at once; no command of the protocol needs more than three."""

_ATOM = r"[^\x00-\x20\"'()\x7f]"
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_FAULT = r'["\x00-\x08\x0b\x0c\x0e-\x1f\x7f]'
# White space and ' match nothing, so they only separate. Comments have to be matched to be skipped.
_TOKEN = re.compile(rf"""[()]|;[^\n]*|(?:\\[()"'\\]|{_ATOM})+|{_QUOTED}|{_FAULT}""", re.DOTALL)
# First characters of tokens other than plain atoms.
_SPECIAL = frozenset('()";\x7f' + "".join(map(chr, range(32))))
_FAULTS = {
    "(": f"more than {MAX_DEPTH} brackets open at once",
    ")": "')' without '('",
    '"': "a quoted string has no end",
}
_ESCAPE = re.compile(r"\\([()\"'\\])")


class Quoted(str):
    """An atom in double quotes."""


def parse(text: bytes | str) -> list[Expression]:
    """Read all top-level expressions of a message as `scan` does, without the fault. Never raises."""
    return scan(text)[0]


def scan(text: bytes | str) -> tuple[list[Expression], str]:
    """Read a message and report its first fault. Never raises.

    An atom ends at white space, a bracket or a quote; a `'` has no other effect. A `;` that begins a token starts a
    comment up to the end of the line. A backslash takes the special meaning from a bracket, a quote or itself. NULs at
    the end, as some agents in C++ send them, are no fault.

    Returns:
        The complete expressions before the first fault, and the fault, or "" for a well-formed message.
    """
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    text = text.rstrip("\0 \t\r\n")
    top: list[Expression] = []
    current = top
    enclosing: list[list[Expression]] = []
    fault = ""
    for token in _TOKEN.findall(text):
        if token == "(" and len(enclosing) < MAX_DEPTH:
            inner: list[Expression] = []
            current.append(inner)
            enclosing.append(current)
            current = inner
        elif token == ")" and enclosing:
            current = enclosing.pop()
        elif token[0] not in _SPECIAL:
            current.append(_unescaped(token) if "\\" in token else token)
        elif fault := _fault(token):
            break
        elif token[0] == '"':
            current.append(Quoted(_unescaped(token[1:-1])))
    if enclosing:
        # The top-level list that is still open is lost.
        return top[:-1], fault or "'(' without ')'"
    return top, fault


def _fault(token: str) -> str:
    """Why a token ends the reading of a message; empty for quoted strings and comments."""
    if token in _FAULTS:
        return _FAULTS[token]
    return "" if token[0] in '";' else f"control byte 0x{ord(token):02x}"


def _unescaped(atom: str) -> str:
    return _ESCAPE.sub(r"\1", atom)
