"""Computes `(eval ...)`: sums and products of numbers, and variables of SimSpark's scripts.

SimSpark hands the text to Ruby; here it is never run as a program.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

MAX_LENGTH = 1000
"""Most characters of an expression."""

_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    # As in Ruby, the quotient of whole numbers is a whole number.
    ast.Div: lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) else a / b,
}

Value = float | int | str


class ExpressionError(ValueError):
    """An expression cannot be computed; the message says why."""


def evaluate(text: str, variables: Mapping[str, Any]) -> Value:
    """The value of an expression.

    Args:
        text: expression of numbers, + - * /, brackets, and variables such as `Soccer.GoalWidth` or `NaoType[0]['tl']`.
        variables: values by name, with `Soccer.GoalWidth` as one name.

    Raises:
        ExpressionError: the text holds other things, or unknown variables.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"is longer than {MAX_LENGTH} characters")
    try:
        value = _value(ast.parse(text.strip(), mode="eval").body, variables)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError("is not a sum or product of numbers and variables") from None
    except (ZeroDivisionError, OverflowError):
        raise ExpressionError("divides by zero or is too large") from None
    except TypeError:
        raise ExpressionError("computes with something that is not a number") from None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (int, float, str)) or (not isinstance(value, str) and not _is_sane(value)):
        raise ExpressionError("is not a finite number or word")
    return value


def _value(node: ast.expr, variables: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, variables), _value(node.right, variables)
        if isinstance(left, str) or isinstance(right, str):
            raise TypeError
        result = _OPERATIONS[type(node.op)](left, right)
        if not _is_sane(result):
            raise OverflowError
        return result
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = _value(node.operand, variables)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.Subscript):
        whole, key = _value(node.value, variables), _value(node.slice, variables)
        try:
            return whole[key]
        except (LookupError, TypeError):
            raise ExpressionError(f"{ast.unparse(node)} does not exist") from None
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = ast.unparse(node)
        if name not in variables:
            raise ExpressionError(f"unknown variable {name}")
        return variables[name]
    raise ValueError(node)


def _is_sane(value: float) -> bool:
    return math.isfinite(value) and abs(value) < 1e15
