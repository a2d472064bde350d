"""Settings: declared once as fields of frozen dataclasses, read strictly from YAML.

The field of a setting has its type, default, limits, unit and help. YAML files, command line, ROS parameters, launch
arguments and docs/reference/settings.md follow from the field. Every mistake is an error that names file, key, value
and the allowed values.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
import sys
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from simspark_ros.configuration.errors import UserError, cut, kind_of, shown, suggestion
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.read_files import note_file

T = TypeVar("T")


class ConfigurationError(UserError):
    """A configuration file or value cannot be used; the message names file, key and remedy."""


_SHORT = 32_000
"""Length of a text from which on its document is not kept."""

# A start reads some forty files; libyaml reads them in a tenth of the time.
_SafeLoader: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Reads YAML; refuses texts that UTF-8 cannot carry, which YAML's escapes can write, as libyaml does itself."""

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """The value of a node that is neither a list nor a mapping."""
        if isinstance(node, yaml.ScalarNode) and not is_unicode(node.value):
            problem = "a text holds half of a character (a surrogate such as \\ud800)"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return super().construct_scalar(node)


def parse_yaml(text: str) -> Any:
    """Read one YAML document from a text; raises yaml's own errors."""
    kept = _kept(text) if len(text) < _SHORT else b""
    return pickle.loads(kept) if kept else yaml.load(text, _Loader)


@lru_cache(maxsize=128)
def _kept(text: str) -> bytes:
    """A document as bytes, so that each reader gets a copy; empty if it is too deep for that.

    All worlds are built from the same few files.
    """
    document = yaml.load(text, _Loader)
    try:
        return pickle.dumps(document)
    except RecursionError:
        return b""


def read_yaml(path: Path) -> Any:
    """Read one YAML document.

    Raises:
        ConfigurationError: the file is missing, unreadable or not YAML; the message has file and line.
    """
    note_file(path)
    try:
        return parse_yaml(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        # The error's text also repeats lines of the file, so only the place and the problem are shown.
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ConfigurationError(f"{path}: is not valid YAML: {place}{cut(str(error.problem), 80)}") from None
    except OSError as error:
        # The path may come from a file and be so long that the reason would be cut off.
        raise ConfigurationError(f"{cut(str(path), 300)}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: is not valid YAML: {cut(str(error), 80)}".replace("\n", " ")) from None
    # A text that looks like a number or a date may be none; lists in lists are read by recursion.
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: holds a value that cannot be read: {cut(str(error), 80)}") from None


def build(cls: type[T], data: Any, where: str) -> T:
    """Make a dataclass from a mapping, parsed YAML; missing keys take the class's defaults.

    Fields may be int, float, str, bool, Path, Literal, Enum, dataclasses, and tuples, lists, mappings and unions of
    these. `where` has file and path of the value, for messages.

    Raises:
        ConfigurationError: an unknown or missing key or a value of the wrong type or that is not finite.
    """
    declared = {declaration.name: declaration for declaration in declarations(cls)}
    if not isinstance(data, Mapping):
        raise ConfigurationError(f"{where}: must be a mapping with keys {', '.join(declared)}, not {kind_of(data)}")
    for key in data:
        if key not in declared:
            raise ConfigurationError(f"{where}: unknown key {shown(key)}; {suggestion(cut(str(key), 40), declared)}")
    values = {key: _convert(declared[key].hint, value, f"{where}: {key}") for key, value in data.items()}
    for name, declaration in declared.items():
        if name not in values and declaration.default is dataclasses.MISSING:
            raise ConfigurationError(f"{where}: key '{name}' is missing")
    try:
        return cls(**values)
    except ValueError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def plain(value: Any) -> Any:
    """A value as JSON has it, of which `build` makes the same dataclass again; defaults are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = {one.name: (getattr(value, one.name), one.default) for one in declarations(type(value))}
        # -0.0 equals 0.0, and is another number for all that.
        differing = ((name, own) for name, (own, default) in given.items() if repr(own) != repr(default))
        return {name: plain(own) for name, own in differing}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value


@dataclasses.dataclass(frozen=True)
class Range:
    """Range of numbers, in `Annotated[float, Range(0.0, 60.0, "s")]`; `above` excludes `low` itself."""

    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    above: bool = False

    def __str__(self) -> str:
        """The limits in words."""
        limits = [f"{'above' if self.above else 'at least'} {self.low:.10g}"] if self.low > -math.inf else []
        limits += [f"at most {self.high:.10g}"] if self.high < math.inf else []
        return " ".join(filter(None, [" and ".join(limits) or "a number", self.unit]))

    def __contains__(self, value: float) -> bool:
        """Whether a number is allowed."""
        return self.low <= value <= self.high and not (self.above and value == self.low)


class Error(NamedTuple):
    """Mark of a parameter that makes readings wrong, in `Annotated[float, Range(0.1, 10.0), Error(neutral=1.0)]`.

    Attributes:
        neutral: value with which readings are right.
    """

    neutral: Any = 0.0


Positive = Annotated[float, Range(0.0, above=True)]
Share = Annotated[float, Range(0.0, 1.0)]
PORTS = Range(0, 65535)
TcpPort = Annotated[int, PORTS]


class Setting(NamedTuple):
    """Text about a setting, for `--help`, ROS parameters, launch arguments and docs/reference/settings.md.

    Attributes:
        help: meaning of the setting; default, limits and unit are added.
        at_run_time: whether the ROS parameter may be set while the node runs.
        option: name of the command-line option, if not the name with hyphens; None = no option.
        metavar: placeholder of the value on the command line.
        switch: value that the option sets, if the option itself takes none.
        refuse: function that returns a text's fault as the value, empty = none; the command line asks it at once.
    """

    help: str
    at_run_time: bool = False
    option: str | None = ""
    metavar: str = ""
    switch: str = ""
    refuse: Callable[[str], str] | None = None


class Declaration(NamedTuple):
    """All that a field of a settings class declares.

    Attributes:
        kind: type of the value: int, float, str, bool, Path, or tuple for several texts.
        default: default value; `dataclasses.MISSING` if a value must be given.
        choices: all allowed values; empty = all values in `range`, or any.
        error: mark of a parameter that makes readings wrong; None = it makes none wrong.
        hint: type as it is written at the field.
    """

    name: str
    kind: type[Any]
    default: Any
    choices: tuple[Any, ...]
    range: Range | None
    setting: Setting
    hint: Any = None
    error: Error | None = None

    @property
    def option(self) -> str:
        """Option of the command line, for example `--half-time`; empty if the setting has none."""
        if self.setting.option is None or not self.setting.help:
            return ""
        no = "no-" if self.kind is bool and self.default else ""
        return f"--{no}{self.setting.option or self.name.replace('_', '-')}"

    @property
    def allowed(self) -> str:
        """Allowed values in words, empty if the type alone decides."""
        named = ", ".join(str(choice) for choice in self.choices if choice != "")
        return f"one of {named}{', or empty' * ('' in self.choices)}" if named else str(self.range or "")

    def refusal(self, value: Any) -> str:
        """Fault of a value of the right type; empty if the value is allowed."""
        if value is None or (not self.choices and self.range is None):
            return ""
        for number, single in enumerate(value if isinstance(value, tuple) else (value,), 1):
            if single not in (self.choices or self.range or ()):
                which = f"value {number} of {self.name}" if isinstance(value, tuple) else self.name
                return f"{which} must be {self.allowed}, not {shown(single)}"
        return ""


class Checked:
    """Base of settings classes: values from any source are checked against their declarations.

    Raises:
        ValueError: a value is not allowed; the message names the setting, its value and the allowed values.
    """

    def __post_init__(self) -> None:
        """Check all values; a subclass that relates values to each other extends this."""
        for declaration in declarations(type(self)):
            if refusal := declaration.refusal(getattr(self, declaration.name)):
                raise ValueError(refusal)


def declarations(cls: type[Any]) -> tuple[Declaration, ...]:
    """Declarations of a settings class's fields, in their order."""
    return _declarations(cls)  # type: ignore[arg-type]  # mypy does not take a class for hashable


# Cached, as evaluation of types would otherwise take most of the time when a robot joins.
@lru_cache(maxsize=256)
def _declarations(cls: type) -> tuple[Declaration, ...]:
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_declaration(field, hints[field.name]) for field in dataclasses.fields(cls) if field.init)


def key_and_value(text: str) -> tuple[str, Any] | None:
    """Key and value of a change `KEY=VALUE`, whose value is YAML; None if the text is no change."""
    key, sign, value = text.partition("=")
    try:
        found = parse_yaml(value)
    except yaml.YAMLError:
        return None
    return (key.strip(), found) if sign and key.strip() else None


def _declaration(field: dataclasses.Field[Any], hint: Any) -> Declaration:
    factory = field.default_factory
    default = field.default if factory is dataclasses.MISSING else factory()
    kind, notes = _bare(hint)
    choices = get_args(kind) if get_origin(kind) is typing.Literal else ()
    limits = next((note for note in notes if isinstance(note, Range)), None)
    setting = next((note for note in notes if isinstance(note, Setting)), Setting(""))
    error = next((note for note in notes if isinstance(note, Error)), None)
    kind = type(choices[0]) if choices else get_origin(kind) or kind
    # A number may be marked as one that nobody has set (`limits.Count`).
    default = kind(default) if kind in (int, float) and isinstance(default, kind) else default
    return Declaration(field.name, kind, default, choices, limits, setting, hint, error)


def _bare(hint: Any) -> tuple[Any, list[Any]]:
    """A type without None and without notes, and the notes, outer ones first."""
    notes: list[Any] = []
    while True:
        options = [a for a in get_args(hint) if a is not type(None)]
        if get_origin(hint) is Annotated:
            notes += reversed(hint.__metadata__)
            hint = hint.__origin__
        elif get_origin(hint) in (Union, types.UnionType) and len(options) == 1:
            hint = options[0]
        else:
            return hint, notes


def _convert(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any or (hint is type(value) and hint in (int, str, bool)):
        return value
    if origin is Annotated:
        return _convert(arguments[0], value, where)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, where)
    if origin in (Union, types.UnionType):
        return _convert_union(arguments, value, where)
    if origin in (tuple, list):
        return _convert_list(origin, arguments, value, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _convert_mapping(arguments, value, where)
    kinds = hint if isinstance(hint, type) and issubclass(hint, Enum) else None
    if kinds is not None or origin is typing.Literal:
        return _convert_choice(kinds, arguments, value, where)
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


def _convert_choice(kinds: type[Enum] | None, arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    allowed = arguments if kinds is None else [kind.value for kind in kinds]
    if value not in allowed:
        raise ConfigurationError(f"{where}: must be one of {', '.join(map(repr, allowed))}, not {shown(value)}")
    return value if kinds is None else kinds(value)


def _convert_mapping(arguments: tuple[Any, ...], value: Any, where: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{where}: must be a mapping, not {shown(value)}")
    for key in value:
        if arguments[0] is str and not isinstance(key, str):
            raise ConfigurationError(f"{where}: the key {shown(key)} must be text")
    return {key: _convert(arguments[1], item, f"{where}: {cut(str(key), 40)}") for key, item in value.items()}


def _convert_list(origin: type[Any], arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    of_any_length = origin is list or arguments[1:] == (Ellipsis,)
    if not isinstance(value, list | tuple) or not (of_any_length or len(value) == len(arguments)):
        values = "" if of_any_length else f" of {len(arguments)} values"
        given = f"one of {len(value)}" if isinstance(value, list | tuple) else shown(value)
        raise ConfigurationError(f"{where}: must be a list{values}, not {given}")
    if {*arguments} <= {float, Ellipsis} and {*map(type, value)} <= {float} and all(map(math.isfinite, value)):
        return origin(value)
    if of_any_length:
        return origin(_convert(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    pairs = zip(arguments, value, strict=True)
    return tuple(_convert(hint, item, f"{where}[{i}]") for i, (hint, item) in enumerate(pairs))


def _convert_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) <= sys.float_info.max:
            raise ConfigurationError(f"{where}: must be a finite number, not {shown(value)}")
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    wanted = {int: "a whole number", float: "a number", str: "text", bool: "true or false", Path: "a path"}.get(hint)
    if wanted is None:
        raise ConfigurationError(f"{where}: is declared as {hint}, which cannot be read from YAML; see `build`")
    raise ConfigurationError(f"{where}: must be {wanted}, not {shown(value)}")


S = TypeVar("S", bound="TakenOptions")


class TakenOptions:
    """Base of settings that a program has among its options, under the same names or under others."""

    options: ClassVar[Mapping[str, str]] = {}
    """Fields that a program's options have, with the names that they have there."""

    @classmethod
    def of(cls: type[S], options: object, **more: Any) -> S:
        """The settings among a program's options; `more` are settings that the program decides."""
        named = {name: getattr(options, option) for name, option in cls.options.items() if hasattr(options, option)}
        return cls(**{**named, **more})
