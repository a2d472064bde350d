"""Writes vision messages, `(See ...)` of the protocol reference, section 4, for all observers in one pass.

A message alternates between the fixed texts of objects and lines, made here once per layout, and some hundred numbers
with few digits, which a kernel writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Layout, Slot
from simspark_ros.kernels.message_text import SeenKernel, TextBuffer
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent.message_form import as_ascii
from simspark_ros.protocol.agent.profile import Profile

_Ints = NDArray[np.int64]

LIMIT = 1e9
"""Size from which on numbers are treated like non-finite ones: no message can carry them."""

VISION_KINDS = ("restricted_vision", "vision")
EXTRAS = {
    "mypos": ("position_x", "position_y", "position_z"),
    "myorien": ("orientation",),
    "ballpos": ("ball_x", "ball_y", "ball_z"),
}
"""Lists that may stand between objects and lines: word -> columns of the vision perceptor."""

_DEGREES = 180.0 / np.pi


class SeeEncoder:
    """Encodes `Sight` values of one layout after the other."""

    def __init__(self, profile: Profile) -> None:
        self._vision = profile.vision
        self._decimals = profile.decimals
        self._cut = profile.numbers == "cut"
        self._number = f"%.{profile.decimals}f"
        self._unsendable = 0
        self._extra_slots: dict[int, Slot] = {}
        self._kernel: SeenKernel | None = None

    @property
    def non_finite(self) -> int:
        """Count of objects, lines and extras so far that could not be sent."""
        return self._unsendable + (int(self._kernel.left_out) if self._kernel else 0)

    def set_layout(self, layout: Layout) -> None:
        """Prepare for the targets of a layout."""
        self._unsendable = self.non_finite
        rows = np.array([row for _, row in layout.targets], np.int64)
        listed = np.array([row < 0 or layout.robots[row].team != "" for row in rows.tolist()], np.bool_)
        marks = len(layout.landmarks) - 1
        listed[: layout.markers] &= self._vision.markers
        listed[layout.markers : marks] &= not self._vision.markers
        # Neighbours with the same number form one expression: the parts of a player. All other objects stand alone.
        alone = -1 - np.arange(len(rows))
        groups = np.where(rows >= 0, rows, alone)
        if self._vision.simple_players:
            # The first listed part stands for the player.
            listed[1:] &= (rows[1:] < 0) | (rows[1:] != rows[:-1])
            groups = alone
        self._kernel = self._new_kernel(layout, groups, listed)
        self._extra_slots = {
            row: slot
            for row, robot in enumerate(layout.robots)
            for slot in robot.slots
            if slot.kind in VISION_KINDS and slot.columns
        }

    def _new_kernel(self, layout: Layout, groups: _Ints, listed: NDArray[np.bool_]) -> SeenKernel:
        """Write the texts around each target: inside its group, at the group's start and at its end."""
        vision = self._vision
        gap = "" if vision.compact else " "
        insides = [f"{gap}({label} ({vision.polar}" for label, _ in layout.targets]
        starts = insides.copy()
        for index, (_, row) in enumerate(layout.targets):
            if row >= 0:
                robot = layout.robots[row]
                part = f"{gap}({vision.polar}" if vision.simple_players else insides[index]
                starts[index] = f"{gap}({vision.player} (team {robot.team}){gap}(id {robot.unum}){part}"
        return SeenKernel(
            buffer=TextBuffer(self._decimals, True, self._cut, self._cut),
            limit=LIMIT,
            unit=_DEGREES,
            opening=as_ascii(f"({vision.see}{' ' * vision.compact}"),
            starts=list(map(as_ascii, starts)),
            insides=list(map(as_ascii, insides)),
            ends=[b")" if group >= 0 else b"" for group in groups.tolist()],
            groups=groups,
            listed=listed.view(np.uint8),
            blind=vision.compact,
            line=(as_ascii(f" ({vision.line} ({vision.polar}"), as_ascii(f") ({vision.polar}"), b"))"),
        )

    def _extras(self, slot: Slot, values: NDArray[np.float64]) -> bytes:
        """Write ` (mypos x y z) (myorien degrees) (ballpos x y z)`, as far as the slot has the columns."""
        own = values[slot.start : slot.start + len(slot.columns)]
        if not (np.abs(own) < LIMIT).all():
            self._unsendable += 1
            return b""
        number = dict(zip(slot.columns, own.tolist(), strict=True))
        texts = []
        for word, names in EXTRAS.items():
            if names[0] in number:
                unit = _DEGREES if names == ("orientation",) else 1.0
                texts.append(f" ({word} {' '.join(self._number % (number[name] * unit) for name in names)})")
        return as_ascii("".join(texts))

    def encode(self, sight: Sight, values: NDArray[np.float64]) -> dict[int, bytes]:
        """Write the vision message of each observer that sees something, by its row; `values` are `Percepts.values`.

        Objects come in the order of their targets with the parts of one player in one group, then `EXTRAS`, then the
        lines. Robots without a team are not listed.
        """
        assert self._kernel is not None
        extras = {}
        if self._extra_slots:
            looking = [row for row in sight.observers.tolist() if row in self._extra_slots]
            extras = {row: self._extras(self._extra_slots[row], values) for row in looking}
        messages: dict[int, bytes] = self._kernel.write(
            sight.observers,
            sight.object_offset,
            sight.object_target,
            sight.object_polar,
            sight.line_offset,
            sight.line_polar,
            extras,
        )
        return messages
