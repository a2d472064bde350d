"""What a program asks of an arena that cannot be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simspark_ros.configuration.errors import UserError


class ArenaError(UserError):
    """A request cannot be carried out, and nothing was changed; the message says what is wrong and what to do."""


@contextmanager
def refusals() -> Iterator[None]:
    """Have what refuses a request in this block raise an `ArenaError`."""
    try:
        yield
    except UserError as error:
        raise ArenaError(str(error)) from None
