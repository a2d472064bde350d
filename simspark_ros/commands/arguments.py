"""Types of command line arguments, for argparse: they name what is wrong with the text."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
    """What a command registers itself with."""


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


def seconds(text: str) -> float:
    """A time above 0 and up to an hour, s."""
    return positive(text, 3600.0)


def seconds_or_never(text: str) -> float:
    """The same, or 0 for never."""
    return 0.0 if text in ("0", "0.0") else seconds(text)


def address(text: str) -> tuple[str, int]:
    """Host and port, `HOST:PORT`."""
    host, colon, number = text.rpartition(":")
    if not colon or not host:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT, e.g. 127.0.0.1:3400")
    return host.strip("[]"), port(number)
