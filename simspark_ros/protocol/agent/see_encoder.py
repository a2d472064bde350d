"""Writes what robots see, `(See ...)` of the protocol reference, section 4, for all observers in one pass.

A vision message holds some hundred numbers with few digits, so every number that can occur is kept as a ready string:
taking strings from a table and joining them is about four times as fast as formatting.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Layout, Slot
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent.profile import VisionFormat

_Texts = NDArray[np.object_]
_Ints = NDArray[np.int64]

LIMIT = 1e9
"""Numbers of this size or more are as wrong as non-finite ones: no message could carry them."""

VISION_KINDS = ("restricted_vision", "vision")
TOLD = {
    "mypos": ("position_x", "position_y", "position_z"),
    "myorien": ("orientation",),
    "ballpos": ("ball_x", "ball_y", "ball_z"),
}
"""What a vision message may tell between objects and lines: its word, and the columns of the vision perceptor."""

_DEGREES = 180.0 / np.pi
_END_OBJECT, _END_PLAYER, _END_FIRST_POINT = _ENDINGS = ("))", ")))", ") ")
_PIECES = 4
"""Strings of an object or of an end of a line: what comes before the numbers, and each number."""
_ROOM = 1024
"""Prefixes for which there is room at first; two full teams take about 600."""


class SeeEncoder:
    """Encodes `Sight` values of one layout after the other.

    Attributes:
        non_finite: objects and lines left out because a coordinate was not a number that can be sent.
    """

    def __init__(self, vision: VisionFormat, decimals: int) -> None:
        """Create an encoder.

        Args:
            vision: tags.
            decimals: digits after the point.
        """
        self.non_finite = 0
        self._vision = vision
        self._format = f"%.{decimals}f"
        self._told: dict[int, Slot] = {}
        self._numbers = _polar_table(decimals)
        self._texts = self._numbers.texts_and_room(_ROOM)
        self._starts: _Ints = np.empty((0, _PIECES), np.int64)
        self._group: _Ints = np.empty(0, np.int64)
        self._listed: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._all_listed = True
        self._seen: tuple[int, bytes, bytes] | None = None
        self._zeros = self._starts

    def set_layout(self, layout: Layout) -> None:
        """Prepare for the targets of a layout."""
        vision = self._vision
        targets = layout.targets
        rest = [f" ({label} ({vision.polar} " for label, _ in targets]
        first = rest.copy()
        rows = np.array([row for _, row in targets], np.int64)
        for index, row in enumerate(rows.tolist()):
            if row >= 0:
                robot = layout.robots[row]
                part = f" ({vision.polar} " if vision.simple_players else rest[index]
                first[index] = f" ({vision.player} (team {robot.team}) (id {robot.unum}){part}"
        self._group = np.where(rows >= 0, rows, -1 - np.arange(len(rows)))
        self._listed = np.array([row < 0 or layout.robots[row].team != "" for row in rows.tolist()], np.bool_)
        if vision.simple_players:
            # Each is a group of its own, which ends like any other object.
            self._listed[1:] &= (rows[1:] < 0) | (rows[1:] != rows[:-1])
            self._group = -1 - np.arange(len(rows))
        self._all_listed = bool(self._listed.all())
        line = [f" ({vision.line} ({vision.polar} ", f"({vision.polar} "]
        self._set_texts([rest, first], line)
        self._told = {}
        for row, robot in enumerate(layout.robots):
            for slot in robot.slots:
                if slot.kind in VISION_KINDS and slot.columns:
                    self._told[row] = slot

    def _set_texts(self, prefixes: list[list[str]], line: list[str]) -> None:
        """Put the prefixes behind the numbers, and find out where the texts of each kind of item start.

        There are four kinds of each target: other than first or first of its group, other than last or last of it; then
        the ends of lines.

        Args:
            prefixes: of targets that are not the first of their group, and of those that are.
            line: prefixes of the two ends of a line.
        """
        endings, texts = [], []
        for last in (_END_OBJECT, _END_PLAYER):
            for prefix in prefixes:
                texts += prefix
                endings += [last if group >= 0 else _END_OBJECT for group in self._group.tolist()]
        texts += line
        endings += [_END_FIRST_POINT, _END_OBJECT]
        numbers = self._numbers.starts(endings)
        begin = len(self._numbers.texts)
        if begin + len(texts) > len(self._texts):
            self._texts = self._numbers.texts_and_room(2 * len(texts))
        self._texts[begin : begin + len(texts)] = texts
        self._starts = np.column_stack([begin + np.arange(len(texts)), numbers])
        self._seen = None

    def _tell(self, slot: Slot, values: NDArray[np.float64]) -> str:
        """Return ` (mypos x y z) (myorien degrees) (ballpos x y z)`, each where it is told."""
        own = values[slot.start : slot.start + len(slot.columns)]
        if not (np.abs(own) < LIMIT).all():
            self.non_finite += 1
            return ""
        number = dict(zip(slot.columns, own.tolist(), strict=True))
        texts = []
        for word, names in TOLD.items():
            if names[0] in number:
                unit = _DEGREES if names == ("orientation",) else 1.0
                texts.append(f" ({word} {' '.join(self._format % (number[name] * unit) for name in names)})")
        return "".join(texts)

    def encode(self, sight: Sight, values: NDArray[np.float64]) -> dict[int, str]:
        """Write the vision message of each observer.

        Objects come in the order of their targets with the parts of one player in one group, then what an observer is
        told about itself and the ball, then the lines. Robots without a team are not listed.

        Args:
            sight: of all robots that look in this cycle.
            values: `Percepts.values`.

        Returns:
            Row of the observer -> message; one who sees nothing has none.
        """
        sight, flat = self._pieces(sight if self._all_listed else self._presentable(sight))
        objects, lines = sight.object_offset.tolist(), sight.line_offset.tolist()
        first_line = len(sight.object_target) * _PIECES
        head = f"({self._vision.see}"
        messages = {}
        for index, row in enumerate(sight.observers.tolist()):
            seen = flat[objects[index] * _PIECES : objects[index + 1] * _PIECES]
            told = self._tell(self._told[row], values) if row in self._told else ""
            if told:
                seen.append(told)
            begin, end = lines[index], lines[index + 1]
            seen += flat[first_line + 2 * _PIECES * begin : first_line + 2 * _PIECES * end]
            if seen:
                messages[row] = f"{head}{''.join(seen)})"
        return messages

    def _pieces(self, sight: Sight) -> tuple[Sight, list[str]]:
        """Return what can be written of a sight, and `_PIECES` strings for each object and then each end of a line."""
        numbers = self._numbers
        steps, held = numbers.steps(_everything(sight))
        if np.count_nonzero(held) == held.size:
            return sight, self._look_up(sight, steps)
        sight = self._presentable(sight)
        steps, held = numbers.steps(_everything(sight))
        pieces = self._look_up(sight, np.where(held, steps, 0.0))
        for row, column in np.argwhere(~held).tolist():
            place = row * _PIECES + 1 + column
            pieces[place] = numbers.instead_of_zero(pieces[place], steps[row, column])
        return sight, pieces

    def _look_up(self, sight: Sight, steps: NDArray[np.float64]) -> list[str]:
        seen = (len(steps), sight.object_offset.tobytes(), sight.object_target.tobytes())
        # Who looks at the same things as before has the same texts around other numbers.
        if seen != self._seen:
            self._seen, self._zeros = seen, self._starts.take(self._kinds(sight, len(steps)), 0)
        index = self._zeros.copy()
        index[:, 1:] += steps.astype(np.int64)
        pieces: list[str] = self._texts.take(index.ravel()).tolist()
        return pieces

    def _kinds(self, sight: Sight, count: int) -> _Ints:
        """Return (count,) rows of `_starts` for each object and then each end of a line."""
        target = sight.object_target
        seen, targets = len(target), len(self._group)
        group = self._group.take(target)
        # As many as there are targets where a group begins and the one before ends, else 0.
        border = np.empty(seen + 1, np.int64)
        np.multiply(group[1:] != group[:-1], targets, out=border[1:-1])
        border[sight.object_offset] = targets
        kinds = np.empty(count, np.int64)
        kinds[:seen] = target + border[:-1] + 2 * border[1:]
        kinds[seen::2] = 4 * targets
        kinds[seen + 1 :: 2] = 4 * targets + 1
        return kinds

    def _presentable(self, sight: Sight) -> Sight:
        """Leave out what must not be sent."""
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
    """Return where the kept entries of each observer start."""
    return np.concatenate([[0], np.cumsum(keep)]).take(offset)


class _PolarTable:
    """Ready strings of distances, azimuths and elevations that are usual.

    Attributes:
        texts: distances and azimuths with a space, elevations with each of the endings.
    """

    _REACH = (100, 181, 91)

    def __init__(self, decimals: int) -> None:
        self._format = f"%.{decimals}f"
        steps = 10**decimals
        self._scale = np.array([1.0, _DEGREES, _DEGREES]) * steps
        self._unit = 1.0 / steps
        self._reach = np.array(self._REACH) * steps
        distance, azimuth, elevation = (
            [self._format % (number * self._unit) for number in range(-reach, reach + 1)]
            for reach in self._reach.tolist()
        )
        texts = [text + " " for text in distance + azimuth]
        texts += [text + ending for ending in _ENDINGS for text in elevation]
        self.texts: _Texts = np.array(texts, object)
        self._zeros = np.array([0, len(distance), len(distance) + len(azimuth)]) + self._reach
        self._elevations = len(elevation)

    def texts_and_room(self, room: int) -> _Texts:
        """Return a copy of the texts with so many places behind them.

        It takes up to 20 ms: an encoder makes one and writes its own texts there, so that a robot that joins or leaves
        costs no copy.
        """
        texts: _Texts = np.empty(len(self.texts) + room, object)
        texts[: len(self.texts)] = self.texts
        return texts

    def starts(self, endings: list[str]) -> _Ints:
        """Return where the zeros of the three columns are among the texts, (n, 3), with n endings."""
        starts = np.tile(self._zeros, (len(endings), 1))
        starts[:, 2] += self._elevations * np.array([_ENDINGS.index(ending) for ending in endings])
        return starts

    def steps(self, polar: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Round (K, 3) polar coordinates (m, rad, rad) to steps of the last digit, and say whether there are texts."""
        steps = np.rint(polar * self._scale)
        return steps, np.abs(steps) <= self._reach

    def instead_of_zero(self, text: str, steps: float) -> str:
        """Return the text of a number in the place of that of a zero."""
        number: str = self._format % (steps * self._unit)
        return number + text.removeprefix(self._format % 0.0)


@lru_cache(maxsize=4)
def _polar_table(decimals: int) -> _PolarTable:
    """Share the tables, which take some 20 ms to make, between encoders."""
    return _PolarTable(decimals)
