"""Finds and reads rule books, `config/rules/NAME.yaml` or any file, and replaces single numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from simspark_ros.configuration.library import Library, merged
from simspark_ros.configuration.schema import build
from simspark_ros.soccer.referee.rulebook import RuleBook

DEFAULT_BOOK = "rcssserver3d"
"""Name of the book with the measured rules."""

BOOK = "book"
"""Key of a world file's section `rules` that names the rule book; the other keys replace numbers of the book."""

RULE_BOOKS = Library("rules", "rule book")

SECTIONS = [section.name for section in fields(RuleBook) if section.name != "own"]
"""Keys of a rule book besides the names of built-in rules."""


def explanations() -> dict[str, str]:
    """Explanation of each number, by `section.number`: the comments of the default book's file."""
    found, section = {}, ""
    for line in RULE_BOOKS.path(DEFAULT_BOOK).read_text(encoding="utf-8").splitlines():
        key, _, comment = line.partition("#")
        name = key.partition(":")[0]
        if name.startswith(" ") and name.strip():
            found[f"{section}.{name.strip()}"] = comment.strip()
        elif name:
            section = name.strip()
    return found


def load_rule_book(name: str = DEFAULT_BOOK, *changes: Mapping[str, Any], beside: Path | None = None) -> RuleBook:
    """Read a rule book; the numbers in `RuleBook.own` and `plug_ins` are not checked yet.

    Args:
        name: name of a shipped book, or path of a YAML file.
        changes: section -> keys that replace keys of the file; later changes win.
        beside: file that names the book.

    Raises:
        ConfigurationError: the book cannot be used; the message names file, section and key.
    """
    path = RULE_BOOKS.path(name, beside)
    return rule_book(RULE_BOOKS.document(path), str(path), *changes)


def rule_book(document: Mapping[str, Any], where: str, *changes: Mapping[str, Any]) -> RuleBook:
    """The rule book of a file's content; `where` is the file's path, for messages."""
    for change in changes:
        document = merged(document, change)
    known = {key: value for key, value in document.items() if key in SECTIONS}
    own = {str(key): value for key, value in document.items() if key not in SECTIONS}
    return build(RuleBook, {**known, "own": own}, where)
