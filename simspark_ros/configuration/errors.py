"""The base of all errors whose message is for the user, and how such messages repeat what they found in a file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

_VALUE = 40
_LINE = 200
_MESSAGE = 2000


class UserError(Exception):
    """A user's request cannot be carried out; the message says what is wrong, where, and what to do.

    Programs print it without a traceback, and end with a status. Some reach clients: it is cut after 2,000 characters,
    and what has no form in UTF-8, as names of files may have none, is written as an escape.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(cut(_as_utf_8(text), _MESSAGE))


class MissingPackageError(UserError, ImportError):
    """A package of Python is not installed; the message says what needs it, and how to install it."""


def cut(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis if it is longer."""
    return text if len(text) <= length else f"{text[:length]}..."


def in_a_line(text: str) -> str:
    """A text for a log: in a line, at most 200 characters, in UTF-8."""
    return cut(" ".join(_as_utf_8(text).split()), _LINE)


def shown(value: object) -> str:
    """A value of a file or a client, as messages repeat it: at most 40 characters, of lists and mappings nothing.

    A whole file must not be readable by its error messages, and a value may be larger than memory once it is written
    out: YAML's aliases repeat parts of a document at no cost.
    """
    if isinstance(value, str):
        return repr(cut(value, _VALUE))
    if isinstance(value, bool | float) or value is None or (isinstance(value, int) and value.bit_length() < 64):
        return repr(value)
    return kind_of(value)


def _as_utf_8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def kind_of(value: object) -> str:
    """What a value of a file is, without the value."""
    if isinstance(value, Mapping):
        return "a mapping"
    names = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", type(None): "empty"}
    return names.get(type(value), "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known one that is closest to it; empty if none is."""
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def suggestion(name: str, known: Iterable[str], more: str = "") -> str:
    """List of the known names, and the one closest to an unknown name; `more` is appended to the list."""
    known = list(known)
    return f"known are: {', '.join(known)}{more}{did_you_mean(name, known)}"
