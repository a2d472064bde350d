"""Framing of both classic ports: a 4-byte big-endian length, then that many bytes (protocol reference, section 1)."""

from __future__ import annotations

HEADER = 4
"""Bytes of the length field, which does not count itself."""

LARGEST_MESSAGE = 1 << 22
"""Longest message that a server announces, bytes."""


class FramingError(Exception):
    """A client announces a message that is longer than allowed; `messages` were complete before it."""

    def __init__(self, text: str, messages: list[bytes]) -> None:
        super().__init__(text)
        self.messages = messages


def frame(payload: bytes) -> bytes:
    """Put the length in front of a payload."""
    return len(payload).to_bytes(HEADER, "big") + payload


class FrameDecoder:
    """Cuts the byte stream of one connection into messages, however it was split or coalesced on its way.

    It never holds more than one incomplete message of at most `max_length` bytes beside the given chunk.
    """

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._pending = bytearray()
        self._needed = HEADER

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take received bytes, return complete payloads; after a `FramingError` nothing is kept."""
        if self._pending:
            # Growing in place keeps a message that arrives byte by byte from costing quadratic time.
            self._pending += chunk
            if len(self._pending) < self._needed:
                return []
            chunk = bytes(self._pending)
            self._pending.clear()
        elif len(chunk) - HEADER == int.from_bytes(chunk[:HEADER], "big") <= self._max_length:
            # Nearly always there is one message, whole.
            return [chunk[HEADER:]]
        return self._cut(chunk)

    def _cut(self, data: bytes) -> list[bytes]:
        messages: list[bytes] = []
        start = 0
        self._needed = HEADER
        while len(data) - start >= HEADER:
            begin = start + HEADER
            length = int.from_bytes(data[start:begin], "big")
            if length > self._max_length:
                limit = self._max_length
                raise FramingError(f"announces a message of {length} bytes; at most {limit} are accepted", messages)
            if len(data) - begin < length:
                self._needed = HEADER + length
                break
            start = begin + length
            messages.append(data[begin:start])
        self._pending += data[start:]
        return messages
