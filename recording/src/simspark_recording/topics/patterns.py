"""Patterns of topics' names, in which `*` stands for any characters, and messages about patterns that match nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from simspark_ros.configuration.errors import did_you_mean, shown

HIDDEN = "/_"
"""Mark in the names of topics that belong to services and actions."""

_LISTED = 20
"""Most topics that a message lists."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def matches_shown(name: str, patterns: Iterable[str]) -> bool:
    """The same, but a hidden topic matches only patterns that contain `HIDDEN`."""
    return matches(name, (one for one in patterns if HIDDEN in one) if HIDDEN in name else patterns)


def without_topic(patterns: Iterable[str], names: Collection[str]) -> list[str]:
    """A line for each pattern that matches no topic: the pattern, the topics that exist, and a suggestion."""
    there = sorted(name for name in names if HIDDEN not in name)
    more = f", and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
    listed = f"topics are: {', '.join(there[:_LISTED])}{more}" if there else "there is no topic at all"
    return [
        f"no topic matches {shown(pattern)}; {listed}{did_you_mean(pattern, _alike(pattern, there))}"
        for pattern in dict.fromkeys(patterns)
        if not any(matches_shown(name, (pattern,)) for name in names)
    ]


def _alike(pattern: str, names: Iterable[str]) -> set[str]:
    """The names with the stars of a pattern in the same places."""
    words = f"/{pattern.removeprefix('/')}".split("/")
    found = set()
    for name in names:
        parts = name.split("/")
        if len(parts) >= len(words):
            found.add("/".join("*" if word == "*" else part for word, part in zip(words, parts, strict=False)))
    return found
