"""Types of command line arguments, for argparse: they name what is wrong with the text."""

from __future__ import annotations

import argparse
import math


def port(text: str) -> int:
    """A TCP port, 0 = any free one."""
    return whole(text, 0, 65535)


def whole(text: str, least: int, most: int) -> int:
    """A whole number in a range."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is not between {least} and {most}")
    return number


def positive(text: str, most: float = math.inf) -> float:
    """A finite number above 0, and at most so large."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= most or math.isinf(number):
        limit = "" if math.isinf(most) else f" and up to {most:g}"
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0{limit}")
    return number
