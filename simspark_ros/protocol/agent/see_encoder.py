"""Writes vision messages, `(See ...)` of the protocol reference, section 4, for all observers in one pass.

A vision message holds some hundred numbers with few digits. A table gives all their texts at once; in one list they
alternate with the fixed texts of objects and lines. Each message is a part of that list.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Layout, Slot
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent.profile import VisionFormat
from simspark_ros.protocol.text_tables import decimal_table

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
_UNITS = np.array([1.0, _DEGREES, _DEGREES])
"""Factors from distance (m), azimuth and elevation (rad) to the units of the message."""

_PIECES = 5
"""Number of texts of a point: its opening, three numbers, its end."""


class SeeEncoder:
    """Encodes `Sight` values of one layout after the other; `non_finite` counts objects that cannot be sent."""

    def __init__(self, vision: VisionFormat, decimals: int) -> None:
        self.non_finite = 0
        self._vision = vision
        self._number = f"%.{decimals}f"
        self._table = decimal_table(decimals, blank=True, signed_zero=False)
        self._extra_slots: dict[int, Slot] = {}
        self._line = [f" ({vision.line} ({vision.polar}", f"({vision.polar}"]
        self._prefixes: NDArray[np.object_] = np.empty(0, object)
        self._endings: NDArray[np.object_] = np.empty(0, object)
        self._group: _Ints = np.empty(0, np.int64)
        self._listed: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._all_listed = True

    def set_layout(self, layout: Layout) -> None:
        """Prepare for the targets of a layout."""
        rows = np.array([row for _, row in layout.targets], np.int64)
        self._listed = np.array([row < 0 or layout.robots[row].team != "" for row in rows.tolist()], np.bool_)
        # Neighbours with the same number form one expression: the parts of a player. All other objects stand alone.
        alone = -1 - np.arange(len(rows))
        self._group = np.where(rows >= 0, rows, alone)
        if self._vision.simple_players:
            # The first listed part stands for the player.
            self._listed[1:] &= (rows[1:] < 0) | (rows[1:] != rows[:-1])
            self._group = alone
        self._all_listed = bool(self._listed.all())
        self._set_texts(layout)
        self._extra_slots = {
            row: slot
            for row, robot in enumerate(layout.robots)
            for slot in robot.slots
            if slot.kind in VISION_KINDS and slot.columns
        }

    def _set_texts(self, layout: Layout) -> None:
        """Write the texts around each target: inside its group, then at the group's start or end."""
        vision = self._vision
        inside = [f" ({label} ({vision.polar}" for label, _ in layout.targets]
        first = inside.copy()
        for index, (_, row) in enumerate(layout.targets):
            if row >= 0:
                robot = layout.robots[row]
                part = f" ({vision.polar}" if vision.simple_players else inside[index]
                first[index] = f" ({vision.player} (team {robot.team}) (id {robot.unum}){part}"
        self._prefixes = np.array(inside + first, object)
        last = [")))" if group >= 0 else "))" for group in self._group.tolist()]
        self._endings = np.array(["))"] * len(last) + last, object)

    def _extras(self, slot: Slot, values: NDArray[np.float64]) -> str:
        """Write ` (mypos x y z) (myorien degrees) (ballpos x y z)`, as far as the slot has the columns."""
        own = values[slot.start : slot.start + len(slot.columns)]
        if not (np.abs(own) < LIMIT).all():
            self.non_finite += 1
            return ""
        number = dict(zip(slot.columns, own.tolist(), strict=True))
        texts = []
        for word, names in EXTRAS.items():
            if names[0] in number:
                unit = _DEGREES if names == ("orientation",) else 1.0
                texts.append(f" ({word} {' '.join(self._number % (number[name] * unit) for name in names)})")
        return "".join(texts)

    def encode(self, sight: Sight, values: NDArray[np.float64]) -> dict[int, str]:
        """Write the vision message of each observer that sees something, by its row; `values` are `Percepts.values`.

        Objects come in the order of their targets with the parts of one player in one group, then `EXTRAS`, then the
        lines. Robots without a team are not listed.
        """
        polar = _everything(sight)
        # This one test nearly always shows that every number can be sent.
        if not (self._all_listed and np.vdot(polar, polar) < LIMIT**2):
            sight = self._presentable(sight)
            polar = _everything(sight)
        flat = self._pieces(sight, self._table.write((polar * _UNITS).reshape(-1)))
        objects, lines = sight.object_offset.tolist(), sight.line_offset.tolist()
        first_line = len(sight.object_target)
        messages = {}
        for index, row in enumerate(sight.observers.tolist()):
            seen = flat[_PIECES * objects[index] : _PIECES * objects[index + 1]]
            if row in self._extra_slots:
                seen.append(self._extras(self._extra_slots[row], values))
            begin, end = first_line + 2 * lines[index], first_line + 2 * lines[index + 1]
            seen += flat[_PIECES * begin : _PIECES * end]
            if text := "".join(seen):
                messages[row] = f"({self._vision.see}{text})"
        return messages

    def _pieces(self, sight: Sight, numbers: list[str]) -> list[str]:
        """Write `_PIECES` texts for each object and then each end of a line; `numbers` has texts of all coordinates."""
        target, targets = sight.object_target, len(self._group)
        group = self._group.take(target)
        # (objects + 1,): `targets` where one group ends and the next begins, also between observers; 0 inside a group.
        # Added to a target it picks the second half of `_prefixes` and `_endings`: texts at a group's start or end.
        border = np.empty(len(target) + 1, np.int64)
        np.multiply(group[1:] != group[:-1], targets, out=border[1:-1])
        border[sight.object_offset] = targets
        lines = len(sight.line_polar)
        pieces = [""] * (_PIECES * (len(target) + 2 * lines))
        pieces[0::_PIECES] = self._prefixes.take(target + border[:-1]).tolist() + self._line * lines
        pieces[1::_PIECES], pieces[2::_PIECES], pieces[3::_PIECES] = numbers[0::3], numbers[1::3], numbers[2::3]
        pieces[4::_PIECES] = self._endings.take(target + border[1:]).tolist() + [") ", "))"] * lines
        return pieces

    def _presentable(self, sight: Sight) -> Sight:
        """Leave out objects and lines that must not be sent."""
        objects = np.abs(sight.object_polar) < LIMIT
        lines = np.abs(sight.line_polar) < LIMIT
        keep_objects: NDArray[np.bool_] = np.all(objects, axis=1)
        keep_lines: NDArray[np.bool_] = np.all(lines, axis=(1, 2))
        self.non_finite += int((~keep_objects).sum() + (~keep_lines).sum())
        keep_objects &= self._listed.take(sight.object_target)
        return Sight(
            observers=sight.observers,
            object_offset=_offsets_of(keep_objects, sight.object_offset),
            object_target=sight.object_target[keep_objects],
            object_polar=sight.object_polar[keep_objects],
            line_offset=_offsets_of(keep_lines, sight.line_offset),
            line_polar=sight.line_polar[keep_lines],
        )


def _everything(sight: Sight) -> NDArray[np.float64]:
    """Polar coordinates (n, 3) of all objects, then of all ends of lines."""
    return np.concatenate([sight.object_polar, sight.line_polar.reshape(-1, 3)])


def _offsets_of(keep: NDArray[np.bool_], offset: _Ints) -> _Ints:
    """Offsets of the kept entries of each observer."""
    return np.concatenate([[0], np.cumsum(keep)]).take(offset)
