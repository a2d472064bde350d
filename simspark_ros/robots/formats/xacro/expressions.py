"""Evaluates expressions of xacro files: Python that computes with values, but reaches nothing of the process.

xacro itself looks for double underscores in the outermost code of an expression only. Many other ways lead from a value
to all functions of the interpreter: frames of generators, `vars`, `str.format`, methods of XML nodes. So attributes are
looked up by a function of this module, and only on the kinds of values that expressions need.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from simspark_ros.configuration.errors import kind_of, shown
from simspark_ros.robots.description import RobotError

_PLAIN = (str, int, float, complex, list, tuple, dict, set, frozenset)
"""Kinds of values, xacro's lists and mappings from YAML among them, whose attributes expressions may use."""

_REFUSED = ("format", "format_map")
"""Methods of `_PLAIN` that look up attributes named in a text."""

_DANGEROUS = ("type", "vars")
"""Functions in xacro's namespace `python` that would let expressions reach more than values."""

_LOOKUP = "attribute of"
"""Name of `_attribute` for compiled code, which no expression can spell."""


def create_symbols(xacro: Any, load_yaml: Callable[[str], Any]) -> Any:
    """The names that an expression may use, made anew for each file, as files may change them.

    Args:
        xacro: the module xacro.
        load_yaml: function that reads YAML files, in place of xacro's.
    """
    symbols = xacro.create_global_symbols()
    for name in _DANGEROUS:
        dict.pop(symbols["python"], name)
    dict.__setitem__(symbols["xacro"], "fatal", _fail)
    for names in (symbols, symbols["xacro"]):
        dict.__setitem__(names, "load_yaml", load_yaml)
    return symbols


def evaluate(expression: str, symbols: Any, local: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression, in place of xacro's `safe_eval`.

    Raises:
        RobotError: the expression uses something forbidden; its code may raise other errors.
    """
    symbols.update(__builtins__={_LOOKUP: _attribute})
    return eval(_compiled(expression.strip()), symbols, local)


@lru_cache(maxsize=2000)
def _compiled(expression: str) -> CodeType:
    tree = _Guarded().visit(ast.parse(expression, mode="eval"))
    return compile(ast.fix_missing_locations(tree), "<expression>", "eval")


class _Guarded(ast.NodeTransformer):
    """Turns each attribute into a call of `_attribute`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        # Comprehensions can assign to attributes.
        if not isinstance(node.ctx, ast.Load):
            raise _refusal(node.attr)
        return ast.Call(ast.Name(_LOOKUP, ast.Load()), [node.value, ast.Constant(node.attr)], [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith("__"):
            raise _refusal(node.id)
        return node


def _attribute(value: Any, name: str) -> Any:
    """An attribute of a plain value, or the entry of that name in a namespace of xacro."""
    if name.startswith("_") or name in _REFUSED:
        raise _refusal(name)
    # Imported late, as by `process_xacro`.
    import xacro

    if isinstance(value, xacro.Table):
        try:
            return value[name]
        except KeyError:
            raise NameError(name) from None
    if isinstance(value, type):
        if issubclass(value, _PLAIN) and name in dir(value):
            return getattr(value, name)
    elif isinstance(value, _PLAIN):
        return getattr(value, name)
    raise RobotError(f"{shown(name)} of {kind_of(value)} is not allowed in expressions of robot files")


def _refusal(name: str) -> RobotError:
    return RobotError(f"{shown(name)} is not allowed in expressions of robot files")


def _fail(*_: object) -> None:
    """Replace xacro's `fatal`, whose text may be anything."""
    raise RobotError("it called xacro.fatal")
