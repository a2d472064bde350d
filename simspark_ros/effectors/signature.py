"""Signatures of commands: parameters, read once from type hints, and the check of arguments."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, get_type_hints

from simspark_ros.exchange import Argument
from simspark_ros.worlds.errors import CommandRejectedError

Degrees = Annotated[float, "deg"]
"""An angle in radians that classic agents write in degrees."""

Percent = Annotated[float, "percent"]
"""A fraction of the whole that classic agents write in percent."""

_TYPES: dict[Any, tuple[type[Argument], str]] = {
    float: (float, ""),
    Degrees: (float, " deg"),
    Percent: (float, " percent"),
    int: (int, " int"),
    int | None: (int, " int"),
    str: (str, " word"),
    bool: (bool, " flag"),
}
_WANTED = {float: "a finite number", int: "a whole number", str: "text", bool: "true or false"}


class Parameter(NamedTuple):
    """One argument of a command; `classic` is name and unit or type, as in a profile's `commands: plug_ins`."""

    name: str
    type: type[Argument]
    classic: str
    required: bool

    def checked(self, value: Argument) -> Argument | None:
        """The value in the parameter's type; None if it does not fit."""
        if self.type is bool or isinstance(value, bool):
            return value if self.type is bool and isinstance(value, bool) else None
        if self.type is str or isinstance(value, str):
            return value if self.type is str and isinstance(value, str) else None
        try:
            fits = math.isfinite(value) and (self.type is float or value == int(value))
        except OverflowError:
            return None
        return self.type(value) if fits else None


class Signature:
    """The parameters of a command, read from the type hints of its function after the first `skip` ones.

    Raises:
        TypeError: a parameter has no type that a message can carry.
    """

    def __init__(self, kind: str, function: Callable[..., object], skip: int) -> None:
        self.kind = kind
        hints = get_type_hints(function, include_extras=True)
        parameters = []
        for parameter in list(inspect.signature(function).parameters.values())[skip:]:
            if hints.get(parameter.name) not in _TYPES:
                raise TypeError(
                    f"{kind}: argument {parameter.name} must be a float, Degrees, Percent, int, str or bool"
                )
            kind_of_value, classic = _TYPES[hints[parameter.name]]
            required = parameter.default is inspect.Parameter.empty
            parameters.append(Parameter(parameter.name, kind_of_value, parameter.name + classic, required))
        self.parameters = tuple(parameters)
        self._least = sum(parameter.required for parameter in parameters)

    @property
    def classic(self) -> tuple[str, ...]:
        """Classic form of the arguments, as in a profile's `commands: plug_ins`."""
        return tuple(parameter.classic for parameter in self.parameters)

    def check(self, arguments: Sequence[Argument]) -> tuple[Any, ...]:
        """The arguments in the types of the parameters.

        Raises:
            CommandRejectedError: their number is wrong, or one has another type or is not finite.
        """
        if not self._least <= len(arguments) <= len(self.parameters):
            names = " ".join(parameter.name for parameter in self.parameters)
            wanted = f"{len(self.parameters)} arguments ({names})" if names else "no arguments"
            raise CommandRejectedError(f"{self.kind} needs {wanted}, not {len(arguments)}")
        values = []
        for parameter, argument in zip(self.parameters, arguments, strict=False):
            value = parameter.checked(argument)
            if value is None:
                wanted = _WANTED[parameter.type]
                raise CommandRejectedError(f"{self.kind}: {parameter.name} must be {wanted}, not {argument!r:.40}")
            values.append(value)
        return tuple(values)
