"""JSON values as MessagePack (msgpack.org): in the longest form of each type, or in the form that drivers send."""

from __future__ import annotations

import struct
from typing import Any

_FLOAT_MAX = 3.4e38
"""Largest number that fits into a float of 32 bits."""


def packed(value: Any) -> bytes:
    """Return a value as MessagePack, each type in its longest form, numbers as floats of 64 bits."""
    match value:
        case None | bool():
            return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
        case int() | float():
            return b"\xcb" + struct.pack(">d", value)
        case str():
            text = value.encode("latin-1", "replace")
            return b"\xdb" + struct.pack(">I", len(text)) + text
        case list():
            return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(packed, value))
        case dict():
            items = b"".join(packed(key) + packed(item) for key, item in value.items())
            return b"\xdf" + struct.pack(">I", len(value)) + items
    raise TypeError(f"no JSON value: {value!r}")


def compact(value: Any) -> bytes:
    """Return a value as MessagePack in short forms: floats of 32 bits where they fit, large integers of 64 bits."""
    match value:
        case bool():
            return packed(value)
        case int():
            if 0 <= value < 128:
                return bytes([value])
            return struct.pack(">BQ", 0xCF, value) if value > 0 else struct.pack(">Bq", 0xD3, value)
        case float():
            return packed(value) if _FLOAT_MAX < abs(value) < float("inf") else struct.pack(">Bf", 0xCA, value)
        case str():
            text = value.encode("latin-1", "replace")
            return _head(len(text), 0xA0, 32, 0xDA) + text
        case list():
            return _head(len(value), 0x90, 16, 0xDC) + b"".join(map(compact, value))
        case dict():
            items = b"".join(compact(key) + compact(item) for key, item in value.items())
            return _head(len(value), 0x80, 16, 0xDE) + items
    return packed(value)


def _head(length: int, short: int, below: int, long: int) -> bytes:
    return bytes([short + length]) if length < below else struct.pack(">BH", long, length)
