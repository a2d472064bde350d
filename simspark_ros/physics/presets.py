"""Named presets of engine settings, read from YAML and checked before an engine sees them.

A preset file is a mapping `default: <name>` and `presets: {<name>: {<key>: <value>}}`. Which keys exist, their types
and their ranges are the fields of a frozen dataclass; `setting` declares one.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, TypeVar

import yaml

from simspark_ros.physics.engine import PhysicsError

Settings = TypeVar("Settings")


def setting(low: float = -math.inf, high: float = math.inf, choices: tuple[str, ...] = ()) -> Any:
    """A required field of a settings dataclass.

    Args:
        low: smallest allowed number.
        high: largest allowed number.
        choices: allowed words, for a text field.
    """
    return dataclasses.field(metadata={"low": low, "high": high, "choices": choices})


def load_preset(path: Path, kind: type[Settings], name: str | None = None) -> Settings:
    """Read one preset.

    Args:
        path: the YAML file.
        kind: settings dataclass whose fields were declared with `setting`.
        name: the preset; None takes the file's default.

    Raises:
        PhysicsError: file, preset or a value in it cannot be used; names the file, the preset, the key and what is
            allowed.
    """
    document = _read(path)
    presets = document.get("presets")
    if not isinstance(presets, dict):
        raise PhysicsError(f"{path}: needs a mapping 'presets'")
    chosen = document.get("default") if name is None else name
    if chosen not in presets:
        raise PhysicsError(f"{path}: no preset '{chosen}'; there are: {', '.join(map(str, presets))}")
    values = presets[chosen]
    if not isinstance(values, dict):
        raise PhysicsError(f"{path}: preset '{chosen}' must be a mapping of settings")
    return _checked(values, kind, f"{path}: preset '{chosen}'")


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PhysicsError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise PhysicsError(f"{path}: is not valid YAML: {error}") from None
    if not isinstance(document, dict):
        raise PhysicsError(f"{path}: must be a mapping with 'default' and 'presets'")
    return document


def _checked(values: dict[str, Any], kind: type[Settings], where: str) -> Settings:
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = [str(key) for key in values if key not in fields]
    if unknown:
        raise PhysicsError(f"{where}: unknown key '{unknown[0]}'; allowed: {', '.join(fields)}")
    missing = [key for key in fields if key not in values]
    if missing:
        raise PhysicsError(f"{where}: key '{missing[0]}' is missing")
    return kind(**{key: _value(values[key], field, f"{where}: {key}") for key, field in fields.items()})


def _value(value: Any, field: dataclasses.Field[Any], where: str) -> Any:
    choices = field.metadata["choices"]
    if choices:
        if value not in choices:
            raise PhysicsError(f"{where} is {value!r}, must be one of: {', '.join(choices)}")
        return value
    low, high = field.metadata["low"], field.metadata["high"]
    # `from __future__ import annotations` leaves the types as text.
    if field.type == "tuple[str, ...]":
        return _names(value, where)
    whole = field.type == "int"
    right_type = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not right_type:
        raise PhysicsError(f"{where} is {value!r}, must be {'a whole number' if whole else 'a number'}")
    if not low <= value <= high:
        raise PhysicsError(f"{where} is {value!r}, must lie in {low:g} ... {high:g}")
    return value if whole else float(value)


def _names(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise PhysicsError(f"{where} is {value!r}, must be a list of names")
    return tuple(value)
