"""Robots by the parameters of their bodies: `nao?thigh_z=-0.05&ankle_z=-0.06` is a Nao with legs of its own.

The robot's file has the parameters, their bounds and the rules between them. Parameters of a xacro file without a YAML
file are its arguments, such as `ur.urdf.xacro?name=arm&ur_type=ur5e`. Any robot takes `fixed_base=true`, which
bolts its base to the world, and `fixed_base=false`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import Range
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import URDF

MAX_PARAMETERS = 32
"""Most parameters in a name."""

MAX_ARGUMENT = 200
"""Most characters of an argument's value."""

TypesJson = Mapping[str, Sequence[Mapping[str, Any]]]
"""Types by the name of their robot, for programs: `number`, `body` and `parameters` as in `RobotType`."""

_TYPE, _FIXED_BASE = "type", "fixed_base"
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_TYPE_DIGITS = 7
"""Number of digits from which on a number is no type."""
_NAME = re.compile(r"[A-Za-z]\w{0,39}", re.ASCII)
_VALUE = re.compile(rf"[\w .+-]{{0,{MAX_ARGUMENT}}}", re.ASCII)


def name_and_type(text: str) -> tuple[str, int]:
    """Name of a robot, or path of its file, and heterogeneous type, of a text such as `nao/4`; type 0 without one."""
    whole, _, tail = text.rpartition("/")
    typed = bool(whole) and tail.isdecimal() and len(tail) < _TYPE_DIGITS
    return (whole, int(tail)) if typed else (text, 0)


@dataclass(frozen=True)
class TypeParameter:
    """Bounds of a parameter.

    Attributes:
        low, high: smallest and largest value, in `unit`, which is for readers.
        variants: variants that have the parameter; empty = all.
    """

    low: float
    high: float
    unit: str = ""
    variants: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low {self.low:g} is above high {self.high:g}")

    @property
    def range(self) -> Range:
        """Range of the value."""
        return Range(self.low, self.high, self.unit)


@dataclass(frozen=True)
class ParameterRule:
    """Rule for several parameters together.

    Attributes:
        of: parameter -> weight of its difference from the first variant's value.
        low, high: bounds of the weighted sum; None = no bound.
        why: reason for the rule, for users whose robot is refused.
    """

    of: Mapping[str, float]
    why: str
    low: float | None = None
    high: float | None = None

    @property
    def range(self) -> Range:
        """Range of the sum."""
        return Range(-math.inf if self.low is None else self.low, math.inf if self.high is None else self.high)


@dataclass(frozen=True)
class RobotName:
    """The name of a robot, and the differences of its body from a variant in its file.

    Attributes:
        robot: name in the catalogue, or path of a file.
        body: variant that is changed; None = the requested variant.
        changes: parameter -> value.
        arguments: argument of a xacro file -> value.
        fixed_base: whether the base is bolted to the world; None = as the robot's files say.
    """

    robot: str
    body: int | None = None
    changes: Mapping[str, float] = field(default_factory=dict)
    fixed_base: bool | None = None
    arguments: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> RobotName:
        """Read `nao`, or `nao?type=4&thigh_z=-0.05`; a `RobotError` says what is wrong with the part behind `?`."""
        robot, separator, query = text.partition("?")
        if not separator:
            return cls(text)
        try:
            pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=MAX_PARAMETERS)
        except ValueError:
            pairs = []
        if not pairs or len(dict(pairs)) < len(pairs):
            example = "NAME=NUMBER, joined by '&', each name once"
            raise RobotError(f"{shown(text)}: after '?' give 1 to {MAX_PARAMETERS} of {example}")
        changes = dict(pairs)
        is_model = name_and_type(robot)[0].endswith(URDF)
        body = None if is_model else changes.pop(_TYPE, None)
        if body is not None and not re.fullmatch(r"[0-9]{1,6}", body):
            raise RobotError(f"{_TYPE}={shown(body)} must be the number of one of the robot's types")
        bolted = changes.pop(_FIXED_BASE, None)
        if bolted is not None and bolted not in _FLAGS:
            raise RobotError(f"{_FIXED_BASE}={shown(bolted)} must be true or false")
        is_fixed = None if bolted is None else _FLAGS[bolted]
        if is_model:
            try:
                for name in changes:
                    check_argument(name, changes[name])
            except ValueError as error:
                raise RobotError(str(error)) from None
            return cls(robot, fixed_base=is_fixed, arguments=changes)
        numbers = {name: _number(name, changes[name]) for name in changes}
        return cls(robot, None if body is None else int(body), numbers, is_fixed)

    def __str__(self) -> str:
        """The name as text, in the same form for equal robots."""
        pairs: list[tuple[str, Any]] = [] if self.body is None else [(_TYPE, self.body)]
        pairs += sorted({**self.changes, **self.arguments}.items())
        pairs += [] if self.fixed_base is None else [(_FIXED_BASE, str(self.fixed_base).lower())]
        return f"{self.robot}?{urlencode(pairs)}" if pairs else self.robot


def check_argument(name: str, text: str) -> None:
    """Refuse a xacro argument that could be an expression or a path, by a `ValueError`.

    xacro evaluates what it has put together from arguments: with a quote or a bracket a client's value would choose
    which files of this machine a model reads.
    """
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(text) or ".." in text:
        problem = f"it must be NAME=VALUE, of at most {MAX_ARGUMENT} letters, digits, blanks and _ . + -"
        raise ValueError(f"argument {shown(name)} is {shown(text)}; {problem}")


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not _NAME.fullmatch(name) or not math.isfinite(value):
        raise RobotError(f"parameter {shown(name)} is {shown(text)}; it must be NAME=NUMBER, e.g. thigh_z=-0.05")
    return value


@dataclass(frozen=True)
class BodyRules:
    """The parameters of a robot's file: values of its variants, and bounds and rules of other values."""

    variants: Mapping[int, Mapping[str, Any]]
    parameters: Mapping[str, TypeParameter]
    rules: tuple[ParameterRule, ...]

    def values(self, body: int, changes: Mapping[str, float]) -> dict[str, float]:
        """All parameters of a variant with some of them changed.

        Raises:
            ValueError: there is no such parameter, or a value breaks a rule.
        """
        for name in changes:
            if name not in self.of_body(body):
                known = ", ".join(self.of_body(body)) or "none"
                raise ValueError(f"type {body} has no parameter {shown(name)}; it has: {known}")
        return self.checked(body, {name: float(self.variants[body][name]) for name in self.parameters} | dict(changes))

    def checked(self, body: int, values: Mapping[str, float]) -> dict[str, float]:
        """The values, if they are valid; a `ValueError` names the bound or rule that they break."""
        for name, one in self.of_body(body).items():
            if values[name] not in one.range:
                raise ValueError(f"{name} is {values[name]:g} and must be {one.range}")
        for rule in self.rules:
            total = sum(weight * (values[name] - self.standard[name]) for name, weight in rule.of.items())
            if total not in rule.range:
                names = ", ".join(rule.of)
                raise ValueError(f"{names}: {rule.why}: their weighted change is {total:g} and must be {rule.range}")
        return dict(values)

    def of_body(self, body: int) -> dict[str, TypeParameter]:
        """The parameters that a variant has."""
        return {name: one for name, one in self.parameters.items() if not one.variants or body in one.variants}

    @property
    def standard(self) -> Mapping[str, Any]:
        """Values of the first variant."""
        return self.variants[min(self.variants)]

    def check(self) -> None:
        """Check the data themselves; a `ValueError` names the key."""
        for number, row in self.variants.items():
            for name in self.parameters:
                if type(row.get(name)) not in (int, float):
                    raise ValueError(f"parameters: {name}: variant {number} has no number for it")
        for index, rule in enumerate(self.rules):
            if unknown := [name for name in rule.of if name not in self.parameters]:
                raise ValueError(f"parameter_rules[{index}]: of: unknown parameter {shown(unknown[0])}")
        for number in self.variants if self.parameters else ():
            try:
                self.values(number, {})
            except ValueError as error:
                raise ValueError(f"variants: {number}: {error}") from None
