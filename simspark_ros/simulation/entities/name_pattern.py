"""Extended regular expressions (POSIX, as in simulation_interfaces), matched by RE2 in time that is linear in the name.

Clients send them, and Python's `re` may take years for twenty characters. There are no back-references, as POSIX has
none in extended expressions; classes such as `[[:alpha:]]` have ASCII letters. RE2 comes with pip alone: on a ROS 2
machine without it a pattern is a plain name.
"""

from __future__ import annotations

import re
from typing import Any

try:
    import re2
except ImportError:
    re2 = None

from simspark_ros.configuration.errors import UserError, shown

MAX_LENGTH = 256
"""Characters of a pattern."""

_MAX_MEMORY = 1 << 18
"""Bytes of a compiled pattern, its repetitions written out; RE2 keeps the last 128 patterns."""


_PLAIN = re.compile(r"[A-Za-z0-9_/]*")
"""Names that mean themselves."""


def _options() -> Any:
    options = re2.Options()
    options.posix_syntax = options.one_line = options.dot_nl = options.never_capture = True
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    return options


_OPTIONS = _options() if re2 else None


class PatternError(UserError):
    """A pattern cannot be used; the message says why."""


class NamePattern:
    """A pattern that whole names match or not.

    Raises:
        PatternError: it is no extended regular expression, or too long.
    """

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(
                f"the regular expression has {len(pattern)} characters, at most {MAX_LENGTH} are allowed"
            )
        self._matched: dict[str, bool] = {}
        self._plain = None
        if re2 is None:
            if not _PLAIN.fullmatch(pattern):
                raise PatternError(f"{shown(pattern)}: regular expressions need RE2 here (pip install google-re2)")
            self._plain = pattern
            return
        try:
            self._expression = re2.compile(_encoded(pattern), _OPTIONS)
        except re2.error as error:
            reason, _, part = error.args[0].decode(errors="replace").partition(": ")
            fault = f"{reason}: {shown(part)}" if part else reason
            raise PatternError(f"{shown(pattern)} is not an extended regular expression: {fault}") from None

    def matches(self, name: str) -> bool:
        """Whether the whole name matches; a name is matched once, which may take some milliseconds."""
        if self._plain is not None:
            return name == self._plain
        if name not in self._matched:
            self._matched[name] = self._expression.fullmatch(_encoded(name)) is not None
        return self._matched[name]


def _encoded(text: str) -> bytes:
    """The text as UTF-8; Python's texts may have halves of characters, which UTF-8 proper does not."""
    return text.encode(errors="surrogatepass")
