"""Files that may be based on one another: shipped files in `config/` by name, a user's files by path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, kind_of, shown, suggestion
from simspark_ros.configuration.league_models import with_league_models
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, read_yaml

BASED_ON = "based_on"
"""Key whose value names the file with the values of missing keys."""

MAX_ANCESTORS = 8
"""Longest chain of files based on one another; a longer one is taken for a circle."""


def _as_read(document: dict[str, Any], path: Path) -> dict[str, Any]:
    return document


@dataclass(frozen=True)
class Library:
    """A folder of YAML files in `config/`.

    Attributes:
        kind: name of such a file in messages.
        prepare: function that changes a document, given its path, before it is merged.
        lists: keys of lists to which a file may add entries of its own, by the key `more_KEY`.
        readers: functions that read files of other formats as such documents, by the endings of the files.
    """

    folder: str
    kind: str
    prepare: Callable[[dict[str, Any], Path], dict[str, Any]] = _as_read
    lists: tuple[str, ...] = ()
    readers: Mapping[str, Callable[[Path], dict[str, Any]]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the shipped files, without their ending."""
        return sorted(path.stem for path in resource("config", self.folder).glob("*.yaml"))

    def path(self, name: str | Path, beside: Path | None = None) -> Path:
        """Path of a shipped file, by name, or of a user's file, by path; relative paths start beside `beside`.

        Raises:
            ConfigurationError: there is no shipped file of that name; the message lists the shipped files.
        """
        if is_path(name) or Path(name).suffix in self.readers:
            return beside.parent / name if beside else Path(name)
        if name not in self.names:
            hint = suggestion(cut(str(name), 40), self.names, ", or the path of a .yaml file")
            raise ConfigurationError(f"unknown {self.kind} {shown(name)}; {hint}")
        return resource("config", self.folder, f"{name}.yaml")

    def document(self, path: Path, depth: int = 0) -> dict[str, Any]:
        """Read a file and the files that it is based on.

        Raises:
            ConfigurationError: a file cannot be read or is no mapping, or the files form a circle.
        """
        read = self.readers.get(path.suffix)
        document = read(path) if read else read_yaml(path)
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
        """A message about the `document` of a file, with the file and key of each list entry that it names."""
        entry = rf"(?:{re.escape(str(path))}: )?\b({'|'.join(self.lists)})\[(\d+)\]"

        def place(found: re.Match[str]) -> str:
            # Entries from elsewhere stand after the files' entries.
            places, index = self._places(path, found[1]), int(found[2])
            return places[index] if index < len(places) else found[0]

        return re.sub(entry, place, message)

    def _places(self, path: Path, key: str) -> list[str]:
        # A file of another format has no lists of its own.
        own = read_yaml(path) if path.suffix == ".yaml" else {}
        based = BASED_ON in own and key not in own
        inherited = self._places(self.path(own[BASED_ON], path), key) if based else []
        return inherited + [f"{path}: {k}[{i}]" for k in (key, f"more_{key}") for i in range(len(own.get(k, [])))]


def unknown(kind: str, folder: str, endings: tuple[str, ...] = ()) -> Callable[[str], str]:
    """A function that refuses texts other than the name of a shipped file in a folder, or the path of a YAML file.

    It returns the fault, empty for a name, a path, and the empty text. `kind` is for the message, `endings` are those
    of other formats.
    """
    library = Library(folder, kind)

    def refusal(text: str) -> str:
        try:
            if not text.endswith(endings):
                library.path(text or library.names[0])
        except ConfigurationError as error:
            return str(error)
        return ""

    return refusal


def is_path(name: str | Path) -> bool:
    """Whether a text is the path of a YAML file, not the name of a shipped file."""
    return isinstance(name, Path) or name.endswith((".yaml", ".yml"))


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping with keys replaced by the keys of another mapping, level by level; the order of the first is kept."""
    result = dict(base)
    for key, value in change.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]  # mypy does not follow `both`
    return result


PROFILES = Library("profiles", "protocol profile", with_league_models)
"""Dialects of the agent protocol, and changes of the simulation in their years."""

PLAYERS = Library("players", "file of players")
"""Tactics (`team`) and motions (`nao`, other robots) of the demonstration team."""
