"""Numbers, texts and arrays as the bytes between proxy and simulator: little-endian, lengths in front, bounded."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MAX_TEXT = 16_000
"""Characters of a text that are sent; four bytes each still fit its length field."""


class ProxyFrameError(ValueError):
    """A message cannot be what a proxy or simulator of this version sends; the text names the part."""


class Packer:
    """Collects the parts of one message."""

    def __init__(self) -> None:
        """Start empty."""
        self._parts: list[bytes] = []

    def numbers(self, form: str, *values: float) -> None:
        """Add numbers, `form` as in `struct` without the byte order."""
        self._parts.append(struct.pack("<" + form, *values))

    def text(self, text: str) -> None:
        """Add a text, with what UTF-8 cannot carry replaced."""
        data = text[:_MAX_TEXT].encode("utf-8", "replace")
        self._parts += (struct.pack("<H", len(data)), data)

    def texts(self, texts: tuple[str, ...]) -> None:
        """Add a number of texts."""
        self.numbers("I", len(texts))
        for text in texts:
            self.text(text)

    def array(self, kind: str, values: ArrayLike) -> None:
        """Add the elements of an array, `kind` as in `numpy.dtype` without the byte order."""
        data = np.asarray(values).astype("<" + kind)
        self._parts += (struct.pack("<I", data.size), data.tobytes())

    def data(self) -> bytes:
        """The message."""
        return b"".join(self._parts)


class Unpacker:
    """Takes a message apart. Whatever the message says, no more is ever made of it than it has bytes."""

    def __init__(self, data: bytes, start: int = 0) -> None:
        """Begin at some byte of the message."""
        self._data = data
        self._at = start

    def numbers(self, part: str, form: str) -> tuple[Any, ...]:
        """The next numbers.

        Raises:
            ProxyFrameError: the message ends before them, as for all that follows.
        """
        start = self._skip(part, struct.calcsize("<" + form))
        return struct.unpack_from("<" + form, self._data, start)

    def number(self, part: str, form: str) -> Any:
        """The next number."""
        return self.numbers(part, form)[0]

    def count(self, part: str) -> int:
        """The next number of things, each of which takes a byte at least."""
        count = int(self.number(part, "I"))
        if count > len(self._data) - self._at:
            raise ProxyFrameError(f"{part}: {count} of them do not fit in the message")
        return count

    def text(self, part: str) -> str:
        """The next text."""
        length = self.number(part, "H")
        start = self._skip(part, length)
        try:
            return self._data[start : start + length].decode("utf-8")
        except UnicodeDecodeError:
            raise ProxyFrameError(f"{part} is not UTF-8") from None

    def texts(self, part: str) -> tuple[str, ...]:
        """The next texts."""
        return tuple(self.text(part) for _ in range(self.count(part)))

    def floats(self, part: str, columns: int = 1) -> NDArray[np.float64]:
        """The next array of numbers, as rows of so many columns if there is more than one."""
        values = self._array(part, "f8").astype(np.float64)
        if len(values) % columns:
            raise ProxyFrameError(f"{part} has {len(values)} entries, not a multiple of {columns}")
        return values if columns == 1 else values.reshape(-1, columns)

    def ints(self, part: str, kind: str) -> NDArray[np.int64]:
        """The next array of integers."""
        return self._array(part, kind).astype(np.int64)

    def end(self) -> None:
        """Check that nothing is left over."""
        if self._at != len(self._data):
            raise ProxyFrameError(f"{len(self._data) - self._at} bytes are left over")

    def _array(self, part: str, kind: str) -> NDArray[Any]:
        count = self.number(part, "I")
        dtype = np.dtype("<" + kind)
        start = self._skip(part, count * dtype.itemsize)
        return np.frombuffer(self._data, dtype, count, start)

    def _skip(self, part: str, size: int) -> int:
        start = self._at
        if size > len(self._data) - start:
            raise ProxyFrameError(f"{part}: the message ends before it does")
        self._at = start + size
        return start


def expect(part: str, count: int, wanted: int) -> None:
    """Check a number of entries.

    Raises:
        ProxyFrameError: it is another one.
    """
    if count != wanted:
        raise ProxyFrameError(f"{part} has {count} entries, not {wanted}")
