"""Substitutions of xacro files: `$(arg NAME)`, `$(find PACKAGE)`, `$(eval EXPRESSION)` and `$(optenv NAME DEFAULT)`.

They are in place of xacro's own. A robot must be the same in every process: `$(optenv NAME DEFAULT)` is the default,
as where nobody has set the variable; `$(env NAME)` and `$(cwd)` are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.xacro.expressions import evaluate
from simspark_ros.robots.formats.xacro.sources import Sources

_OF_THE_PROCESS = ("cwd", "env")
"""Commands whose result depends on the process."""

_CONSTANTS = {"true": True, "false": False, "True": True, "False": False}


def substitute(text: str, arguments: Mapping[str, str], sources: Sources, symbols: Mapping[str, Any]) -> str:
    """Return what a substitution stands for.

    Args:
        text: the substitution, `$(COMMAND ...)`; its inner expressions are evaluated already.
        arguments: values of the file's `xacro:arg`.
        sources: the files and packages that the model may read.
        symbols: the names that expressions may use.

    Raises:
        RobotError: there is no such command, argument or package.
    """
    inner = text[2:-1]
    command, *words = inner.split() or [""]
    if command in _OF_THE_PROCESS:
        raise RobotError(f"$({command} ...) is not for robot files, which are the same in every process; use xacro:arg")
    if command == "optenv" and words:
        return " ".join(words[1:])
    if command == "eval":
        return _evaluated(inner.partition("eval")[2], arguments, sources, symbols)
    if command not in ("arg", "find") or len(words) != 1:
        raise RobotError(
            "a substitution is none of $(arg NAME), $(find PACKAGE), $(optenv NAME) and $(eval EXPRESSION)"
        )
    if command == "find":
        return sources.find(words[0])
    if words[0] not in arguments:
        raise RobotError("$(arg ...) names no xacro:arg of the file")
    return arguments[words[0]]


def _evaluated(expression: str, arguments: Mapping[str, str], sources: Sources, symbols: Mapping[str, Any]) -> str:
    given = {name: _value(text) for name, text in arguments.items()}
    functions = {"arg": lambda name: given[name], "find": sources.find}
    return str(evaluate(expression, {**symbols["math"], **symbols, **given, **_CONSTANTS, **functions}))


def _value(text: str) -> int | float | bool | str:
    """The number or truth value that an argument's text stands for, else the text."""
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False}.get(text.lower(), text)
