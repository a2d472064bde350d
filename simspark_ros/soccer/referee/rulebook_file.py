"""Finds and reads rule books: `config/rules/NAME.yaml`, or any file, with single numbers replaced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simspark_ros.configuration import ConfigurationError, build, read_yaml
from simspark_ros.resources import resource
from simspark_ros.soccer.referee.rulebook import RuleBook

BASED_ON = "based_on"
"""Key of a rule book that names the one whose numbers hold where it says nothing."""

DEFAULT_BOOK = "rcssserver3d"
"""The measured rules."""

MAX_ANCESTORS = 8
"""A rule book that is based on one that is based on ... this often goes round in circles."""


def rule_book_path(name: str, beside: Path | None = None) -> Path:
    """Where a rule book is.

    Args:
        name: of a file in `config/rules` without its ending, or the path of a YAML file.
        beside: file that names it; a path that is not absolute begins in its folder.

    Raises:
        ConfigurationError: there is no shipped rule book of that name; the message has those there are.
    """
    if name.endswith((".yaml", ".yml")):
        return beside.parent / name if beside else Path(name)
    folder = resource("config", "rules")
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in known:
        choice = ", ".join(known)
        raise ConfigurationError(f"unknown rule book {name!r}; known are {choice}, or the path of a .yaml file")
    return folder / f"{name}.yaml"


def load_rule_book(name: str = DEFAULT_BOOK, *changes: Mapping[str, Any], beside: Path | None = None) -> RuleBook:
    """Read a rule book.

    Args:
        name: of a shipped one, or the path of a YAML file.
        changes: section -> keys that replace those of the file; later ones win.
        beside: file that names it.

    Raises:
        ConfigurationError: the message names file, section and key.
    """
    path = rule_book_path(name, beside)
    document = _document(path)
    for change in changes:
        document = merged(document, change)
    return build(RuleBook, document, str(path))


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with the keys of another one replaced, level by level; the order of the first is kept."""
    result = dict(base)
    for key, value in change.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]  # mypy does not follow `both`
    return result


def _document(path: Path, depth: int = 0) -> dict[str, Any]:
    document = read_yaml(path)
    if not isinstance(document, Mapping):
        raise ConfigurationError(f"{path}: must be a mapping, not {document!r}")
    own = {key: value for key, value in document.items() if key != BASED_ON}
    if BASED_ON not in document:
        return own
    if depth == MAX_ANCESTORS:
        raise ConfigurationError(f"{path}: {BASED_ON}: rule books are based on each other in a circle")
    if not isinstance(document[BASED_ON], str):
        raise ConfigurationError(f"{path}: {BASED_ON}: must name a rule book, not {document[BASED_ON]!r}")
    return merged(_document(rule_book_path(document[BASED_ON], path), depth + 1), own)
