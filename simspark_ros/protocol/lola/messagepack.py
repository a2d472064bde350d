"""The part of MessagePack (msgpack.org, specification of 2013) that LoLA's clients send, from a stream of bytes.

No library serves here: a message that announces too much has to be refused before it is read, and the end of a message
in a stream has to be found without reading its beginning again for each piece that arrives.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from simspark_ros.protocol.framing import FramingError

Scalar = float | bool | str | bytes | None
Value = Scalar | list[Scalar]
"""A value of a message. Byte strings and types of applications are bytes."""

_NUMBERS = {
    **{0xCA: ">f", 0xCB: ">d"},
    **{0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q"},
    **{0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"},
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_FIXED_TYPES = {0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
_SIZED = {
    **{0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0)},
    **{0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)},
    **{0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)},
}
"""Bytes of the length field, and bytes of the payload that the length does not count."""
_COUNTED = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Bytes of the field for the number of elements, and values of an element: two in a map."""
_UNUSED = 0xC1
_STRINGS = (0xD9, 0xDA, 0xDB)
_FLOAT = 0xCA
_FLOAT_SIZE = 5


class _Head(NamedTuple):
    """The head of a value.

    Attributes:
        size: bytes of the head.
        payload: bytes that follow the head and belong to no further value.
        values: number of values in it; None = it is no array and no map.
    """

    size: int
    payload: int
    values: int | None


def _head(data: bytes | bytearray, at: int) -> _Head | None:
    """The head of the value that begins at a place; None if the head is not complete."""
    if at >= len(data):
        return None
    byte = data[at]
    if byte < 0x80 or byte >= 0xE0 or byte in _CONSTANTS:
        return _Head(1, 0, None)
    if byte < 0x90:
        return _Head(1, 0, 2 * (byte & 0x0F))
    if byte < 0xA0:
        return _Head(1, 0, byte & 0x0F)
    if byte < 0xC0:
        return _Head(1, byte & 0x1F, None)
    if byte in _NUMBERS:
        return _Head(1, struct.calcsize(_NUMBERS[byte]), None)
    if byte in _FIXED_TYPES:
        return _Head(1, _FIXED_TYPES[byte], None)
    if byte == _UNUSED:
        raise FramingError("sends bytes that are not MessagePack: byte 0xc1", [])
    length, more = _SIZED.get(byte) or _COUNTED[byte]
    if len(data) < at + 1 + length:
        return None
    count = int.from_bytes(data[at + 1 : at + 1 + length], "big")
    return _Head(1 + length, count + more, None) if byte in _SIZED else _Head(1 + length, 0, count * more)


def _floats(data: bytes | bytearray, at: int, count: int) -> int:
    """Bytes of `count` floats of 32 bits that begin at a place; 0 if other values are among them, or some are missing.

    Nearly all arrays of clients are such floats.
    """
    end = at + _FLOAT_SIZE * count
    whole = count and len(data) >= end and data[at:end:_FLOAT_SIZE].count(_FLOAT) == count
    return _FLOAT_SIZE * count if whole else 0


class MessageCutter:
    """Cuts the bytes of one connection into MessagePack values, however they were split or coalesced on their way.

    It never holds more than one incomplete message of at most `max_length` bytes beside the given chunk.
    """

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._pending = bytearray()
        # Bytes of the first message that have been looked at, and number of values still missing there.
        self._at, self._missing = 0, 1

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take received bytes, return complete messages.

        Raises:
            FramingError: a message is no MessagePack, or longer than allowed, or announces to be so.
        """
        self._pending += chunk
        messages: list[bytes] = []
        try:
            while self._is_complete():
                messages.append(bytes(self._pending[: self._at]))
                del self._pending[: self._at]
                self._at, self._missing = 0, 1
        except FramingError as error:
            raise FramingError(str(error), messages) from None
        return messages

    def _is_complete(self) -> bool:
        """Look at further values of the first message; return whether it is complete."""
        while self._missing:
            head = _head(self._pending, self._at)
            if head is None:
                return False
            # Every value still to come has a byte at least.
            size = self._at + head.size + head.payload + (head.values or 0) + self._missing - 1
            if size > self._max_length:
                raise FramingError(
                    f"announces a message of {size} bytes or more; at most {self._max_length} are accepted", []
                )
            if len(self._pending) < self._at + head.size + head.payload:
                return False
            self._at += head.size + head.payload
            self._missing += (head.values or 0) - 1
            if head.values and (floats := _floats(self._pending, self._at, head.values)):
                self._at += floats
                self._missing -= head.values
        return True


class MessagePackReader:
    """Reads the values of a complete message, one after the other. `entries` is for the map at its beginning."""

    def __init__(self, message: bytes) -> None:
        self._data, self._at = message, 0

    def entries(self) -> int | None:
        """Begin with a map: its number of entries; None if the message is no map."""
        if not self._is_map(0):
            return None
        head = _head(self._data, 0)
        assert head is not None
        self._at = head.size
        return (head.values or 0) // 2

    def value(self) -> Value:
        """The next value; an array or a map is one list, in which None stands for each inner array or map.

        A map's own list begins with None, so as not to be mistaken for an array.
        """
        head = _head(self._data, self._at)
        assert head is not None
        begin = self._at + head.size
        if head.values is None:
            return self._scalar(head)
        self._at = begin
        if not self._is_map(begin - head.size) and (floats := _floats(self._data, begin, head.values)):
            self._at += floats
            return list(struct.unpack(">" + "xf" * head.values, self._data[begin : self._at]))
        values: list[Scalar] = [None] if self._is_map(begin - head.size) else []
        missing = head.values
        while missing:
            inner = _head(self._data, self._at)
            assert inner is not None
            missing -= 1
            if inner.values is None:
                values.append(self._scalar(inner))
            else:
                values.append(None)
                self._at += inner.size
                missing += inner.values
        return values

    def _is_map(self, at: int) -> bool:
        byte = self._data[at]
        return 0x80 <= byte < 0x90 or byte in (0xDE, 0xDF)

    def _scalar(self, head: _Head) -> Scalar:
        byte, begin = self._data[self._at], self._at + head.size
        self._at = begin + head.payload
        payload = self._data[begin : self._at]
        if byte < 0x80:
            return byte
        if byte >= 0xE0:
            return byte - 0x100
        if byte in _CONSTANTS:
            return _CONSTANTS[byte]
        if byte in _NUMBERS:
            number: float = struct.unpack(_NUMBERS[byte], payload)[0]
            return number
        return payload.decode(errors="replace") if byte < 0xC0 or byte in _STRINGS else payload
