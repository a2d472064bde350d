"""Between numpy and the arrays of messages, which take nothing faster than `array.array`; checks of what came in."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_ENTRIES = 1 << 20
"""Entries accepted in an array: more than hundreds of clients can fill with what they may send in one cycle."""


class FrameError(ValueError):
    """A frame cannot be what a simulator or bridge of this version sends; the message names the field."""


def doubles(values: ArrayLike) -> Any:
    """Return numbers as the field of a message."""
    return array("d", np.asarray(values, np.float64).tobytes())


def longs(values: ArrayLike) -> Any:
    """Return 64-bit integers as the field of a message."""
    return array("q", np.asarray(values, np.int64).tobytes())


def ints(values: ArrayLike) -> Any:
    """Return integers as the field of a message with 32 bits each."""
    return array("i", np.asarray(values, np.int32).tobytes())


def flags(values: ArrayLike) -> Any:
    """Return truth values as the field of a message."""
    return array("B", np.asarray(values, np.uint8).tobytes())


def texts(values: Iterable[str]) -> list[str]:
    """Return strings as the field of a message, without what C strings and UTF-8 cannot carry."""
    return [text(value) for value in values]


def text(value: str) -> str:
    """Return one string likewise."""
    if value.isascii() and "\0" not in value:
        return value
    return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def from_doubles(field: Any) -> NDArray[np.float64]:
    """Return the numbers of a field without copying them."""
    return np.asarray(field, np.float64)


def from_ints(field: Any) -> NDArray[np.int64]:
    """Return the integers of a field."""
    return np.asarray(field).astype(np.int64)


def expect(field: str, count: int, wanted: int) -> None:
    """Check a number of entries.

    Raises:
        FrameError: it is another one.
    """
    if count != wanted:
        raise FrameError(f"{field} has {count} entries, not {wanted}")


def expect_range(field: str, values: NDArray[np.int64], limit: int) -> None:
    """Check that values are from 0 up to, not including, the limit.

    Raises:
        FrameError: one is not.
    """
    if len(values) and not (int(values.min()) >= 0 and int(values.max()) < limit):
        raise FrameError(f"{field} has an entry outside of 0 to {limit - 1}")


def expect_offsets(field: str, offsets: NDArray[np.int64], groups: int, total: int) -> None:
    """Check that offsets divide so many entries into so many groups.

    Raises:
        FrameError: they do not.
    """
    expect(field, len(offsets), groups + 1)
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise FrameError(f"{field} does not divide {total} entries")
