"""Errors of an arena: requests of a program that cannot be carried out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simspark_ros.configuration.errors import UserError


class ArenaError(UserError):
    """A request cannot be carried out, and nothing was changed; the message names fault and remedy."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a `UserError` of this block into an `ArenaError`."""
    try:
        yield
    except UserError as error:
        raise ArenaError(str(error)) from None
