"""Writes and reads values by their type annotations: dataclasses of numbers, texts, arrays and of one another.

All numbers are little-endian, and a length stands in front of everything of variable size. Numbers travel exactly.
The bytes received bound everything that is read.

Libraries such as msgspec know neither numpy's arrays, which are most of a message, nor the layout that both sides
share. Code for both would stay here.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Layout

_MAX_TEXT = 16_000
"""Characters of a text that are sent; four bytes each still fit its length field."""

_LARGEST = (1 << 63) - 1


class CodecError(ValueError):
    """A message cannot be from a remote side of this version; the text names the field."""


class UnknownLayoutError(CodecError):
    """Percepts refer to a layout that has not been received."""


def check(fault: str, is_right: bool) -> None:
    """Raise `CodecError` with the fault unless something is right."""
    if not is_right:
        raise CodecError(fault)


class ByteSource:
    """The bytes of a message, read from front to back, and the layout that they may refer to.

    Nothing in it may have more parts than `most`, None = any number.
    """

    def __init__(
        self, data: bytes, at: int = 0, layout: Layout | None = None, revision: int = 0, most: int | None = None
    ) -> None:
        self.layout, self.revision = layout, revision
        self._most = len(data) if most is None else most
        self._data = data
        self._at = at

    def bytes(self, name: str, size: int) -> bytes:
        """The next bytes; `CodecError` if there are not as many."""
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise CodecError(f"the message ends in the middle of {name}")
        return self._data[start : self._at]

    def number(self, name: str, form: struct.Struct) -> Any:
        """The next number."""
        return form.unpack(self.bytes(name, form.size))[0]

    def count(self, name: str) -> int:
        """The next number of things, each of which takes a byte at least."""
        count = int(self.number(name, _COUNT))
        if count > len(self._data) - self._at:
            raise CodecError(f"{name}: the message is too short for {count} entries")
        if count > self._most:
            raise CodecError(f"{name} has {count} entries, more than {self._most}")
        return count

    def expect_end(self) -> None:
        """Refuse bytes that are left over."""
        check(f"{len(self._data) - self._at} bytes follow the end of the message", self._at == len(self._data))


Write = Callable[[list[bytes], Any], None]
Read = Callable[[ByteSource, str], Any]

_INT, _FLOAT, _COUNT, _SHORT, _BYTE = (struct.Struct("<" + form) for form in "qdIHB")


def _write_int(parts: list[bytes], value: int) -> None:
    # A number of a client may be of any size; none beyond this means anything.
    parts.append(_INT.pack(max(-_LARGEST, min(int(value), _LARGEST))))


def _write_bytes(parts: list[bytes], value: bytes) -> None:
    parts += (_COUNT.pack(len(value)), value)


def _write_text(parts: list[bytes], value: str) -> None:
    data = value[:_MAX_TEXT].encode("utf-8", "replace")
    parts += (_SHORT.pack(len(data)), data)


def _read_float(source: ByteSource, name: str) -> float:
    value = float(source.number(name, _FLOAT))
    check(f"{name} has a number that is not finite", math.isfinite(value))
    return value


def _read_bool(source: ByteSource, name: str) -> bool:
    value = source.number(name, _BYTE)
    check(f"{name} has a flag that is neither 0 nor 1", value < 2)
    return bool(value)


def _read_text(source: ByteSource, name: str) -> str:
    try:
        return source.bytes(name, source.number(name, _SHORT)).decode("utf-8")
    except UnicodeDecodeError:
        raise CodecError(f"{name} is not UTF-8") from None


def _read_known_layout(source: ByteSource, name: str) -> Layout:
    revision = source.number(name, _INT)
    if source.layout is None or revision != source.revision:
        raise UnknownLayoutError(f"percepts belong to layout {revision}, which never came")
    return source.layout


_SIMPLE: dict[Any, tuple[Write, Read]] = {
    int: (_write_int, lambda source, name: source.number(name, _INT)),
    float: (lambda parts, value: parts.append(_FLOAT.pack(value)), _read_float),
    bool: (lambda parts, value: parts.append(_BYTE.pack(value)), _read_bool),
    str: (_write_text, _read_text),
    bytes: (_write_bytes, lambda source, name: source.bytes(name, source.count(name))),
    NoneType: (lambda parts, value: None, lambda source, name: None),
    Layout: (lambda parts, layout: parts.append(_INT.pack(layout.revision)), _read_known_layout),
}


@cache
def codec_of(kind: Any) -> tuple[Write, Read]:
    """Functions that write and read values of a type, which may be composed of others."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if origin in (Union, UnionType):
        return _union(inner)
    if origin is tuple and inner[-1] is Ellipsis:
        return _sequence(codec_of(inner[0]), tuple)
    if origin is tuple:
        return _fixed(inner)
    if origin is dict:
        return _sequence(_fixed(inner), dict, items=True)
    if origin is np.ndarray:
        return _write_array, partial(_read_array, np.dtype(get_args(inner[1])[0]))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enumeration(kind)
    return structure_of(kind)


@cache
def structure_of(kind: Any) -> tuple[Write, Read]:
    """Functions that write and read a dataclass or a named tuple: its fields, one after the other."""
    make: Callable[..., Any] = kind
    hints = get_type_hints(kind)
    assert hints, f"messages cannot carry values of {kind}"
    codecs = [(name, *codec_of(hint)) for name, hint in hints.items()]

    def write(parts: list[bytes], value: Any) -> None:
        for name, write_one, _ in codecs:
            write_one(parts, getattr(value, name))

    def read(source: ByteSource, _name: str) -> Any:
        return make(*[read_one(source, name) for name, _, read_one in codecs])

    return write, read


def _fixed(kinds: Sequence[Any]) -> tuple[Write, Read]:
    codecs = [codec_of(kind) for kind in kinds]

    def write(parts: list[bytes], values: Any) -> None:
        for (write_one, _), value in zip(codecs, values, strict=True):
            write_one(parts, value)

    return write, lambda source, name: tuple([read_one(source, name) for _, read_one in codecs])


def _sequence(codec: tuple[Write, Read], make: Callable[[Any], Any], *, items: bool = False) -> tuple[Write, Read]:
    write_one, read_one = codec

    def write(parts: list[bytes], values: Any) -> None:
        parts.append(_COUNT.pack(len(values)))
        for value in values.items() if items else values:
            write_one(parts, value)

    return write, lambda source, name: make([read_one(source, name) for _ in range(source.count(name))])


def _union(kinds: Sequence[Any]) -> tuple[Write, Read]:
    """One of several classes: a byte that says which, and the value."""
    codecs = [codec_of(kind) for kind in kinds]

    def write(parts: list[bytes], value: Any) -> None:
        # An instance of a subclass, as numpy's numbers are, is written as the class itself.
        kind = type(value) if type(value) in kinds else next(kind for kind in kinds if isinstance(value, kind))
        index = kinds.index(kind)
        parts.append(_BYTE.pack(index))
        codecs[index][0](parts, value)

    def read(source: ByteSource, name: str) -> Any:
        index = source.number(name, _BYTE)
        check(f"{name} is of an unknown type", index < len(codecs))
        return codecs[index][1](source, name)

    return write, read


def _enumeration(kind: type[Enum]) -> tuple[Write, Read]:
    members = list(kind)

    def read(source: ByteSource, name: str) -> Any:
        index = source.number(name, _BYTE)
        check(f"{name} is no {kind.__name__}", index < len(members))
        return members[index]

    return lambda parts, value: parts.append(_BYTE.pack(members.index(value))), read


_DTYPES = tuple(map(np.dtype, ("<f8", "<u1", "<u2", "<u4", "<i8", "?")))
"""Types of arrays in messages: integers take as many bytes as the largest of them needs, truth values a bit."""

_KINDS = "fiiiib"
"""Kinds of arrays, by the same index, as `numpy.dtype.kind`."""

_FLOATS, _LONGS, _BITS = 0, 4, 5

_UNSIGNED = {size: index for index, size in enumerate((1, 2, 4), 1)}


def _write_array(parts: list[bytes], values: NDArray[Any]) -> None:
    if values.dtype == np.bool_:
        index, data = _BITS, np.packbits(values)
    elif values.dtype.kind == "f":
        index, data = _FLOATS, values
    else:
        is_natural = bool(values.size) and values.min() >= 0
        index = _UNSIGNED.get(np.min_scalar_type(values.max()).itemsize, _LONGS) if is_natural else _LONGS
        data = values.astype(_DTYPES[index])
    parts += (struct.pack(f"<BB{values.ndim}I", index, values.ndim, *values.shape), data.tobytes())


def _read_array(wanted: np.dtype[Any], source: ByteSource, name: str) -> NDArray[Any]:
    index, axes = source.bytes(name, 2)
    if index >= len(_DTYPES) or not 1 <= axes <= 3 or wanted.kind != _KINDS[index]:
        raise CodecError(f"{name} is not an array of {wanted}")
    shape = struct.unpack(f"<{axes}I", source.bytes(name, 4 * axes))
    count = math.prod(shape)
    if index == _BITS:
        bits = np.frombuffer(source.bytes(name, -(-count // 8)), np.uint8)
        values = np.unpackbits(bits, count=count).astype(np.bool_)
    else:
        dtype = _DTYPES[index]
        values = np.frombuffer(source.bytes(name, count * dtype.itemsize), dtype).astype(wanted)
    try:
        return values.reshape(shape)
    # An axis of length 0 makes any others fit in the message, but not in memory.
    except ValueError:
        raise CodecError(f"{name} has the impossible shape {shape}") from None
