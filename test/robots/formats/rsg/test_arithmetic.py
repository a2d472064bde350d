"""Expressions of RSG files: sums and products, no programs."""

import pytest

from simspark_ros.robots.formats.rsg.arithmetic import ExpressionError, evaluate

VARIABLES = {"Soccer.Width": 14.0, "Type": [{"tl": 0.5}], "Flag": "true", "Deep": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("-1 * (0.5 - 2)", 1.5),
        ("7 / 2", 3),
        ("7 / 2.0", 3.5),
        ("Soccer.Width / 2", 7.0),
        ("Type[0]['tl']", 0.5),
        ("Flag", "true"),
        ("Deep", "true"),
    ],
)
def test_expressions_are_computed_as_ruby_does(text: str, value: float | str) -> None:
    assert evaluate(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("__import__('os').system('true')", "not a sum or product"),
        ("().__class__", "unknown variable"),
        ("9 ** 9 ** 9", "not a sum or product"),
        ("'a' * 1000000000", "not a number"),
        ("1e14 * 1e14", "too large"),
        ("1 / 0", "by zero"),
        ("Other.Width", "unknown variable Other.Width"),
        ("Type[3]['tl']", r"Type\[3\] does not exist"),
        ("Type", "not a finite number or word"),
        ("1" * 2000, "longer than 1000"),
        ("(" * 400 + ")" * 400, "not a sum or product"),
        ("", "not a sum or product"),
    ],
)
def test_anything_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        evaluate(text, VARIABLES)
