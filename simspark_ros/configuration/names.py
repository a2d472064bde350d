"""Names that files and clients give: what can stand in messages to people, ROS and clients, checked in one place."""

from __future__ import annotations

import re

MAX_NAME = 80
"""Characters of a name."""

WORD = "printable ASCII characters without blanks, brackets and quotes"

# A leading ; begins a comment, and a backslash takes the meaning from what ends the atom, or from another one.
_WORD = re.compile(r"(?!;)(?:[!#-&*-\[\]-~]|\\(?!\\|$))+")
_NO_WORD = re.compile(r"[^!#-&*-:<-\[\]-~]")
_HALF = re.compile("[\ud800-\udfff]")


def is_name(text: str) -> bool:
    """Whether a text is a name: short, and printable, which neither line breaks nor halves of characters are."""
    return 0 < len(text) <= MAX_NAME and text.isprintable()


def is_word(text: str, longest: int = MAX_NAME) -> bool:
    """Whether a text can stand in an S-expression: it is read back as one atom, and the rest is what it was."""
    return len(text) <= longest and _WORD.fullmatch(text) is not None


def as_word(text: str) -> str:
    """The text with underscores in place of all that no S-expression can carry."""
    return _NO_WORD.sub("_", text)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; those from outside may hold surrogates, halves of characters."""
    return _HALF.search(text) is None
