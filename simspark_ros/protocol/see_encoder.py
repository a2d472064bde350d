"""Writes what robots see, `(See ...)` of the protocol reference, section 4, for all observers in one pass.

A vision message holds some hundred numbers with few digits, so every number that can occur is kept as a ready string:
taking strings from a table and joining them is about four times as fast as formatting.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.profile import VisionFormat
from simspark_ros.simulation.exchange import Layout, Slot

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
_END_OBJECT, _END_PLAYER, _END_FIRST_POINT = range(3)
_ENDINGS = ("))", ")))", ") ")


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
        self._prefixes: _Texts = np.empty(0, object)
        self._group: _Ints = np.empty(0, np.int64)
        self._listed: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._all_listed = True

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
        lines = [f" ({vision.line} ({vision.polar} ", f"({vision.polar} "]
        self._prefixes = np.array(rest + first + lines, object)
        self._group = np.where(rows >= 0, rows, -1 - np.arange(len(rows)))
        self._listed = np.array([row < 0 or layout.robots[row].team != "" for row in rows.tolist()], np.bool_)
        if vision.simple_players:
            # Each is a group of its own, which ends like any other object.
            self._listed[1:] &= (rows[1:] < 0) | (rows[1:] != rows[:-1])
            self._group = -1 - np.arange(len(rows))
        self._all_listed = bool(self._listed.all())
        self._told = {}
        for row, robot in enumerate(layout.robots):
            for slot in robot.slots:
                if slot.kind in VISION_KINDS and slot.columns:
                    self._told[row] = slot

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
        sight = self._presentable(sight)
        pieces = self._pieces(sight)
        width = pieces.shape[1]
        flat = pieces.ravel().tolist()
        objects = (sight.object_offset * width).tolist()
        lines = ((sight.line_offset * 2 + len(sight.object_target)) * width).tolist()
        head = f"({self._vision.see}"
        messages = {}
        for index, row in enumerate(sight.observers.tolist()):
            seen = flat[objects[index] : objects[index + 1]]
            told = self._tell(self._told[row], values) if row in self._told else ""
            if told:
                seen.append(told)
            seen += flat[lines[index] : lines[index + 1]]
            if seen:
                messages[row] = f"{head}{''.join(seen)})"
        return messages

    def _pieces(self, sight: Sight) -> _Texts:
        """Return (objects + ends of lines, 4) strings: what comes before the numbers, and each number."""
        target = sight.object_target
        seen, line_count = len(target), len(sight.line_polar)
        first = np.ones(seen + 1, np.bool_)
        group = self._group.take(target)
        np.not_equal(group[1:], group[:-1], out=first[1:-1])
        first[sight.object_offset] = True
        player_ends = first[1:] & (group >= 0)

        prefix = np.empty(seen + 2 * line_count, np.int64)
        prefix[:seen] = target + len(self._group) * first[:-1]
        prefix[seen::2] = 2 * len(self._group)
        prefix[seen + 1 :: 2] = 2 * len(self._group) + 1
        ending = np.full(seen + 2 * line_count, _END_OBJECT)
        ending[:seen][player_ends] = _END_PLAYER
        ending[seen::2] = _END_FIRST_POINT

        pieces: _Texts = np.empty((len(prefix), 4), object)
        pieces[:, 0] = self._prefixes.take(prefix)
        polar = np.concatenate([sight.object_polar, sight.line_polar.reshape(-1, 3)])
        pieces[:, 1:] = self._numbers.texts(polar, ending)
        return pieces

    def _presentable(self, sight: Sight) -> Sight:
        """Leave out what must not be sent; almost always there is nothing to leave out."""
        objects = np.abs(sight.object_polar) < LIMIT
        lines = np.abs(sight.line_polar) < LIMIT
        if self._all_listed and objects.all() and lines.all():
            return sight
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


def _offsets_of(keep: NDArray[np.bool_], offset: _Ints) -> _Ints:
    """Return where the kept entries of each observer start."""
    return np.concatenate([[0], np.cumsum(keep)]).take(offset)


class _PolarTable:
    """Ready strings of distances, azimuths and elevations; rarer numbers are formatted one by one."""

    _RANGES = ((0, 100), (-181, 181), (-91, 91))

    def __init__(self, decimals: int) -> None:
        self._format = f"%.{decimals}f"
        steps = 10**decimals
        self._scale = np.array([1.0, _DEGREES, _DEGREES]) * steps
        self._unit = 1.0 / steps
        self._low = np.array([low * steps for low, _ in self._RANGES])
        self._high = np.array([high * steps for _, high in self._RANGES])
        distance, azimuth, elevation = (
            [self._format % (number * self._unit) for number in range(low, high + 1)]
            for low, high in zip(self._low.tolist(), self._high.tolist(), strict=True)
        )
        texts = [text + " " for text in distance + azimuth]
        texts += [text + ending for ending in _ENDINGS for text in elevation]
        self._texts: _Texts = np.array(texts, object)
        self._base = np.array([0, len(distance), len(distance) + len(azimuth)]) - self._low
        self._elevations = len(elevation)

    def texts(self, polar: NDArray[np.float64], ending: NDArray[Any]) -> _Texts:
        """Return (K, 3) strings for (K, 3) polar coordinates (m, rad, rad); the last one carries the ending."""
        numbers = np.rint(polar * self._scale).astype(np.int64)
        outside = (numbers < self._low) | (numbers > self._high)
        rare = np.count_nonzero(outside) > 0
        index = (np.clip(numbers, self._low, self._high) if rare else numbers) + self._base
        index[:, 2] += ending * self._elevations
        texts: _Texts = self._texts.take(index)
        if rare:
            for row, column in np.argwhere(outside).tolist():
                tail = " " if column < 2 else _ENDINGS[ending[row]]
                texts[row, column] = self._format % (numbers[row, column] * self._unit) + tail
        return texts


@lru_cache(maxsize=4)
def _polar_table(decimals: int) -> _PolarTable:
    """Share the tables, which take some 20 ms to make, between encoders."""
    return _PolarTable(decimals)
