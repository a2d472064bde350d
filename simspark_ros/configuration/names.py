"""Checks names from files and clients: their characters must be safe in messages to people, ROS and clients."""

from __future__ import annotations

import re

MAX_NAME = 80
"""Most characters of a name."""

WORD = "printable ASCII characters without blanks, brackets and quotes"

# A leading ; begins a comment, and a backslash escapes the end of the atom or another backslash.
_WORD = re.compile(r"(?!;)(?:[!#-&*-\[\]-~]|\\(?!\\|$))+")
_NO_WORD = re.compile(r"[^!#-&*-:<-\[\]-~]")
_HALF = re.compile("[\ud800-\udfff]")


def is_name(text: str) -> bool:
    """Whether a text is a name: short and printable, without line breaks and surrogates."""
    return 0 < len(text) <= MAX_NAME and text.isprintable()


def is_word(text: str, longest: int = MAX_NAME) -> bool:
    """Whether a text can stand in an S-expression: it is read back as one atom, and does not change the rest."""
    return len(text) <= longest and _WORD.fullmatch(text) is not None


def as_word(text: str) -> str:
    """The text with underscores in place of characters that no S-expression can carry."""
    return _NO_WORD.sub("_", text)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; texts from outside may hold surrogates, halves of characters."""
    return _HALF.search(text) is None


def unique(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if it is taken; the result is taken from now on."""
    number, free = 2, name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    taken.add(free)
    return free
