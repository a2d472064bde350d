"""Files that are shipped in `config/` by name, or are a user's own by path, and that may be based on one another."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, kind_of, shown, suggestion
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, read_yaml

BASED_ON = "based_on"
"""Key whose value names the file with the values of missing keys."""

MAX_ANCESTORS = 8
"""A longer chain of files that are based on one another is taken for a circle."""


def _as_read(document: dict[str, Any], path: Path) -> dict[str, Any]:
    return document


@dataclass(frozen=True)
class Library:
    """A folder of YAML files in `config/`.

    Attributes:
        kind: name of such a file in messages.
        prepare: changes a document, given its path, before it is merged.
        lists: keys of lists that a file makes longer than those of the file it is based on, by the key `more_KEY`.
    """

    folder: str
    kind: str
    prepare: Callable[[dict[str, Any], Path], dict[str, Any]] = _as_read
    lists: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the shipped files, without their ending."""
        return sorted(path.stem for path in resource("config", self.folder).glob("*.yaml"))

    def path(self, name: str | Path, beside: Path | None = None) -> Path:
        """Path of a shipped file, by name, or of a user's own, by path; a relative one starts beside `beside`.

        Raises:
            ConfigurationError: there is no shipped file of that name; the message lists the shipped ones.
        """
        if is_path(name):
            return beside.parent / name if beside else Path(name)
        if name not in self.names:
            hint = suggestion(cut(str(name), 40), self.names, ", or the path of a .yaml file")
            raise ConfigurationError(f"unknown {self.kind} {shown(name)}; {hint}")
        return resource("config", self.folder, f"{name}.yaml")

    def document(self, path: Path, depth: int = 0) -> dict[str, Any]:
        """Read a file and those that it is based on.

        Raises:
            ConfigurationError: one of them cannot be read or is no mapping, or they form a circle.
        """
        document = read_yaml(path)
        if not isinstance(document, Mapping):
            raise ConfigurationError(f"{path}: must be a mapping, not {kind_of(document)}")
        own = self.prepare({key: value for key, value in document.items() if key != BASED_ON}, path)
        if BASED_ON not in document:
            return own
        if depth == MAX_ANCESTORS:
            raise ConfigurationError(f"{path}: {BASED_ON}: these files are based on each other in a circle")
        base = document[BASED_ON]
        if not isinstance(base, str):
            raise ConfigurationError(f"{path}: {BASED_ON}: must name a {self.kind}, not {shown(base)}")
        whole = merged(self.document(self.path(base, path), depth + 1), own)
        for key in self.lists:
            parts = {name: whole.pop(name, []) for name in (key, f"more_{key}")}
            for name, part in parts.items():
                if not isinstance(part, list):
                    raise ConfigurationError(f"{path}: {name}: must be a list, not {shown(part)}")
            whole[key] = [item for part in parts.values() for item in part]
        return whole

    def located(self, path: Path, message: str) -> str:
        """A message about the `document` of a file, whose list entries get the file and the key that they stand at."""
        entry = rf"(?:{re.escape(str(path))}: )?\b({'|'.join(self.lists)})\[(\d+)\]"

        def place(found: re.Match[str]) -> str:
            # What comes from elsewhere stands after what the files have.
            places, index = self._places(path, found[1]), int(found[2])
            return places[index] if index < len(places) else found[0]

        return re.sub(entry, place, message)

    def _places(self, path: Path, key: str) -> list[str]:
        own = read_yaml(path)
        based = BASED_ON in own and key not in own
        inherited = self._places(self.path(own[BASED_ON], path), key) if based else []
        return inherited + [f"{path}: {k}[{i}]" for k in (key, f"more_{key}") for i in range(len(own.get(k, [])))]


def unknown(kind: str, folder: str) -> Callable[[str], str]:
    """A function that says why a text is no name of a shipped file in a folder, nor the path of a YAML file.

    It returns the empty text for a name, a path, and the empty text. `kind` is for the message.
    """
    library = Library(folder, kind)

    def refusal(text: str) -> str:
        try:
            library.path(text or library.names[0])
        except ConfigurationError as error:
            return str(error)
        return ""

    return refusal


def is_path(name: str | Path) -> bool:
    """Whether a text is the path of a YAML file, not the name of a shipped one."""
    return isinstance(name, Path) or name.endswith((".yaml", ".yml"))


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with the keys of another one replaced, level by level; the order of the first is kept."""
    result = dict(base)
    for key, value in change.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]  # mypy does not follow `both`
    return result


PROFILES = Library("profiles", "protocol profile")
"""Dialects of the agent protocol, and what their years change in the simulation."""

PLAYERS = Library("players", "file of players")
"""Tactics (`team`) and motions (`nao`, other robots) of the demonstration team."""
