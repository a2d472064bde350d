"""YAML files into frozen dataclasses, strictly: every mistake is an error that names file, key and remedy."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from simspark_ros.configuration.errors import UserError

T = TypeVar("T")


class ConfigurationError(UserError):
    """A configuration file or value cannot be used; the message names file, key and remedy."""


def read_yaml(path: Path) -> Any:
    """Read one YAML document.

    Raises:
        ConfigurationError: the file is missing, unreadable or not YAML; the message has file and line.
    """
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: is not valid YAML: {error}".replace("\n", " ")) from None


def build(cls: type[T], data: Any, where: str) -> T:
    """Make a dataclass from a mapping; missing keys take the class's defaults.

    Args:
        cls: a dataclass; nested dataclasses, tuples, dicts, unions with None and plain scalars are understood.
        data: what YAML gave.
        where: file and path to the value, for messages.

    Raises:
        ConfigurationError: an unknown or missing key or a value of the wrong type or that is not finite.
    """
    if not isinstance(data, Mapping):
        raise ConfigurationError(f"{where}: must be a mapping of {_names(cls)}, not {data!r}")
    hints = _hints(cls)  # type: ignore[arg-type]  # mypy does not take a class for hashable
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}  # type: ignore[arg-type]
    unknown = [str(key) for key in data if key not in fields]
    if unknown:
        raise ConfigurationError(f"{where}: unknown key '{unknown[0]}'; known are: {_names(cls)}")
    values = {key: _convert(hints[key], value, f"{where}: {key}") for key, value in data.items()}
    missing = [
        name
        for name, field in fields.items()
        if name not in values and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ConfigurationError(f"{where}: key '{missing[0]}' is missing")
    try:
        return cls(**values)
    except ValueError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def require(settings: Any, names: str, low: float, high: float = math.inf, *, above: bool = False) -> None:
    """Check numbers of a settings object; for its `__post_init__`.

    Args:
        settings: the object.
        names: of the attributes, separated by blanks.
        low: smallest value.
        high: largest value.
        above: whether the lower end itself is excluded.

    Raises:
        ValueError: names the attribute, its value and the range.
    """
    for name in names.split():
        value = getattr(settings, name)
        if not low <= value <= high or (above and value == low):
            least = f"above {low:g}" if above else f"at least {low:g}"
            most = f" and at most {high:g}" if high < math.inf else ""
            raise ValueError(f"{name} must be {least}{most}, not {value}")


def _names(cls: type[Any]) -> str:
    return ", ".join(field.name for field in dataclasses.fields(cls))


def _convert(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, where)
    if origin in (Union, types.UnionType):
        return _convert_union(arguments, value, where)
    if origin is tuple:
        return _convert_tuple(arguments, value, where)
    if origin in (dict, Mapping, typing.Mapping) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        if not isinstance(value, Mapping):
            raise ConfigurationError(f"{where}: must be a mapping, not {value!r}")
        return {key: _convert(arguments[1], item, f"{where}: {key}") for key, item in value.items()}
    if origin is typing.Literal:
        if value not in arguments:
            raise ConfigurationError(f"{where}: must be one of {', '.join(map(repr, arguments))}, not {value!r}")
        return value
    return _convert_scalar(hint, value, where)


def _convert_union(arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in arguments:
        return None
    errors = []
    for option in (a for a in arguments if a is not type(None)):
        try:
            return _convert(option, value, where)
        except ConfigurationError as error:
            errors.append(error)
    raise errors[0]


def _convert_tuple(arguments: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"{where}: must be a list, not {value!r}")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_convert(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(value) != len(arguments):
        raise ConfigurationError(f"{where}: must be a list of {len(arguments)} values, not {len(value)}")
    pairs = zip(arguments, value, strict=True)
    return tuple(_convert(hint, item, f"{where}[{i}]") for i, (hint, item) in enumerate(pairs))


def _convert_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ConfigurationError(f"{where}: must be a finite number, not {value}")
        return float(value)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    wanted = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}.get(hint, str(hint))
    raise ConfigurationError(f"{where}: must be {wanted}, not {value!r}")


@lru_cache(maxsize=256)
def _hints(cls: type) -> dict[str, Any]:
    """Types of a class's fields; evaluating them anew whenever a robot joins costs more than all the rest."""
    return get_type_hints(cls)
