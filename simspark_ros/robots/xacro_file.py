"""Processes xacro files. Their expressions are Python, which may compute here and reach nothing of the process.

xacro itself looks for double underscores in the outermost code of an expression only, and not at frames of
generators; both lead to every function of the interpreter. The rules here are those of RestrictedPython.
"""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut
from simspark_ros.robots.description import RobotError

_LOCK = threading.Lock()
"""xacro keeps its state in module variables; robots may be spawned from several threads."""

_INSPECTION = re.compile(
    r"_.*|(ag|cr|gi)_(await|code|frame|origin|yieldfrom)|tb_(frame|next)"
    r"|f_(back|builtins|code|generator|globals|locals|trace)"
)
"""Names that lead from a value to the code that runs."""


def process_xacro(model: Path, variant: int) -> str:
    """The URDF text of a xacro file, processed with `type:=variant`; a `RobotError` says what is wrong with it."""
    # Imported late: robots from plain URDF do without it.
    import xacro
    from xacro import substitution_args

    try:
        with _LOCK, _checked_expressions(xacro, substitution_args):
            return str(xacro.process_file(str(model), mappings={"type": str(variant)}).toprettyxml(indent="  "))
    # xacro evaluates expressions of the file: anything may be raised, and all of it is the file's fault.
    except Exception as error:
        problem = cut(f"{type(error).__name__}: {error}", 200)
        raise RobotError(f"{model}: xacro failed for type:={variant}: {problem}") from error


@contextmanager
def _checked_expressions(xacro: Any, substitution_args: Any) -> Iterator[None]:
    """Have xacro evaluate nothing that `_check` refuses; other users of it in this process get it back as it was."""
    evaluate, substitute = xacro.safe_eval, substitution_args._eval

    def checked(expression: str, *symbols: Any, **more: Any) -> Any:
        _check(expression)
        return evaluate(expression, *symbols, **more)

    xacro.safe_eval, substitution_args._eval = checked, _refuse
    try:
        yield
    finally:
        xacro.safe_eval, substitution_args._eval = evaluate, substitute


@lru_cache(maxsize=2000)
def _check(expression: str) -> None:
    """Refuse names and attributes by which an expression would get at more than values."""
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if _INSPECTION.fullmatch(name):
            raise ValueError(f"'{cut(name, 40)}' is not for expressions of robot files")


def _refuse(*_: object) -> str:
    raise ValueError("$(eval ...) is not for robot files; use ${...}")
