"""The fixed text of an agent's message around its numbers, compiled once per set of perceptors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simspark_ros.exchange import Slot
from simspark_ros.kernels.message_text import Pattern
from simspark_ros.protocol.agent.profile import Profile

TEXT_KINDS = {"time": 0, "game_state": 1, "hear": 2, "restricted_vision": 3, "vision": 3}
"""Perceptors that are sent as a ready text, and its index among the texts of a robot."""

PICTURES = 1 + max(TEXT_KINDS.values())
"""Index of the ready text that ends every message: the pictures of the robot's cameras."""

READY_TEXTS = 1 + PICTURES

_MAX_CACHED = 256


class Number(NamedTuple):
    """One number of the message.

    Attributes:
        factor: factor from the column to the message.
        decimals: digits after the point, None = the profile's.
    """

    slot: int
    column: int
    factor: float
    decimals: int | None


class _Piece(NamedTuple):
    """One slot's part: texts around its numbers or its ready text, and the index of the first number or ready text."""

    texts: tuple[str, ...] = ("",)
    begin: int = 0
    ready: bool = False


class MessageForm:
    """Lays out the messages of robots with the same perceptors; kinds without a format in the profile are left out."""

    def __init__(self, slots: Sequence[Slot], profile: Profile) -> None:
        self.unknown_kinds: set[str] = set()
        numbers: list[Number] = []
        self._pieces: list[_Piece] = []
        for index, slot in enumerate(slots):
            form = profile.perceptors.get(slot.kind)
            if slot.kind in TEXT_KINDS:
                self._pieces.append(_Piece(("", ""), TEXT_KINDS[slot.kind], ready=True))
            elif form is None or any(value.column not in slot.columns for value in form.numbers):
                # Perceptors without values, such as the camera, need no format.
                self.unknown_kinds |= {slot.kind} if slot.columns else set()
                self._pieces.append(_Piece())
            else:
                texts = tuple(text.replace("{name}", slot.name) for text in form.texts)
                self._pieces.append(_Piece(texts, READY_TEXTS + len(numbers)))
                columns = slot.columns
                numbers += [Number(index, columns.index(c), factor, form.decimals) for c, factor in form.numbers]
        self.numbers = tuple(numbers)
        self._cache: dict[bytes, Pattern] = {}

    def pattern(self, present: bytes) -> Pattern:
        """The message for one byte per slot, 0 for a silent perceptor; ready texts may be empty, never silent."""
        pattern = self._cache.get(present)
        if pattern is None:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            pattern = self._cache[present] = self._compile(present)
        return pattern

    def _compile(self, present: bytes) -> Pattern:
        entries: list[int] = []
        fixed = [""]
        for there, (texts, begin, ready) in zip(present, self._pieces, strict=True):
            if there or ready:
                fixed[-1] += texts[0]
                entries += range(begin, begin + len(texts) - 1)
                fixed += texts[1:]
        return Pattern([*map(as_ascii, fixed), b""], np.array([*entries, PICTURES], np.int64))


def as_ascii(text: str) -> bytes:
    """A text as it is sent; names may have any characters."""
    return text.encode("ascii", "replace")
