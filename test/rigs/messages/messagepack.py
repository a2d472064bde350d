"""MessagePack as the tests write and read it, apart from the code under test."""

import struct
from typing import Any


def packed(value: Any, single: bool = True) -> bytes:
    """A value in MessagePack; floats of 32 bits, or of 64."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, float):
        return struct.pack(">Bf", 0xCA, value) if single else struct.pack(">Bd", 0xCB, value)
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value) if not 0 <= value < 128 else bytes([value])
    if isinstance(value, str):
        return struct.pack(">BB", 0xD9, len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return struct.pack(">BB", 0xC4, len(value)) + value
    if isinstance(value, list):
        return struct.pack(">BH", 0xDC, len(value)) + b"".join(packed(each, single) for each in value)
    entries = b"".join(packed(key, single) + packed(each, single) for key, each in value.items())
    return struct.pack(">BH", 0xDE, len(value)) + entries
