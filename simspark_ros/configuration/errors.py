"""The base of all errors whose message is for the user, and the form in which messages repeat values of files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

_VALUE = 40
_LINE = 200
_MESSAGE = 2000


class UserError(Exception):
    """A user's request cannot be carried out; the message names fault, place and remedy.

    Programs print the message without a traceback, and end with a status. Some messages reach clients: a message is cut
    after 2,000 characters, and parts without a form in UTF-8, as in names of files, are written as escapes.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(cut(_as_utf_8(text), _MESSAGE))


class MissingPackageError(UserError, ImportError):
    """A Python package is not installed; the message names its user, and the command that installs it."""


def cut(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis if it is longer."""
    return text if len(text) <= length else f"{text[:length]}..."


def reason(error: Exception) -> str:
    """What went wrong with a file, without its path, which messages name themselves."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def in_a_line(text: str) -> str:
    """A text for a log: in a line, at most 200 characters, in UTF-8."""
    return cut(" ".join(_as_utf_8(text).split()), _LINE)


def shown(value: object) -> str:
    """A value of a file or a client for messages: at most 40 characters, and only the kind of a list or mapping.

    Error messages must not reveal a whole file, and a value may be larger than memory once it is written out: YAML's
    aliases repeat parts of a document at no cost.
    """
    if isinstance(value, str):
        return repr(cut(value, _VALUE))
    if isinstance(value, bool | float) or value is None or (isinstance(value, int) and value.bit_length() < 64):
        return repr(value)
    return kind_of(value)


def named(kind: str, names: Sequence[str]) -> str:
    """Names of a file with their kind, as "link 'a'" or "links 'a', 'b' and 98 more"; there is at least one name."""
    words = [repr(cut(name, _VALUE)) for name in names[:2]]
    if len(names) > 2:
        words = [", ".join(words), f"{len(names) - 2} more"]
    return f"{kind}{'s' if len(names) > 1 else ''} {' and '.join(words)}"


def _as_utf_8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def kind_of(value: object) -> str:
    """Kind of a value of a file, without the value."""
    if isinstance(value, Mapping):
        return "a mapping"
    names = {str: "text", bool: "true or false", int: "a whole number", float: "a number", type(None): "empty"}
    return names.get(type(value), "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}")


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """The end of a message about an unknown name: the closest known name; empty if none is `alike` (0 to 1)."""
    close = difflib.get_close_matches(name, known, 1, alike)
    return f"; did you mean '{close[0]}'?" if close else ""


def suggestion(name: str, known: Iterable[str], more: str = "") -> str:
    """List of the known names, and the name closest to an unknown name; `more` is appended to the list."""
    known = list(known)
    listed = f"use one of: {', '.join(known)}" if known else "none is known"
    return f"{listed}{more}{did_you_mean(name, known)}"
