"""The fixed text of an agent's message around its numbers, compiled once per set of perceptors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from simspark_ros.exchange import Slot
from simspark_ros.protocol.agent.profile import Profile

TEXT_KINDS = {"time": 0, "game_state": 1, "hear": 2, "restricted_vision": 3, "vision": 3}
"""Perceptors that are sent as a ready text, and its index among the texts of a robot."""

READY_TEXTS = 1 + max(TEXT_KINDS.values())

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


class Pattern(NamedTuple):
    """A message for one set of silent perceptors.

    Attributes:
        pick: function that selects the entries to send from all ready texts (see `TEXT_KINDS`) and then all numbers.
        parts: parts of the message; selected entries belong into every second place.
    """

    pick: Callable[[list[Any]], tuple[Any, ...]]
    parts: tuple[str, ...]


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
        order: list[int] = []
        parts = [""]
        for there, (texts, begin, ready) in zip(present, self._pieces, strict=True):
            if there or ready:
                parts[-1] += texts[0]
                for place, text in enumerate(texts[1:], begin):
                    order.append(place)
                    parts += ["", text]
        return Pattern(_picker(order), tuple(parts))


def _picker(order: list[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """Select entries of a list; `itemgetter` is fast, but makes no tuple of a single one."""
    return itemgetter(*order) if len(order) > 1 else lambda entries: tuple(entries[place] for place in order)
