"""The layout in a `PerceptFrame`: every name once in a table, everything else as indices and counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from simspark_ros.exchange import Layout, RobotLayout, Slot
from simspark_ros.ros.bridge.flat_arrays import (
    MAX_ENTRIES,
    FrameError,
    doubles,
    expect,
    expect_range,
    from_ints,
    ints,
    longs,
    texts,
)


class _Names:
    """A table of names, filled while they are looked up."""

    def __init__(self) -> None:
        self.indices: dict[str, int] = {}

    def of(self, names: Sequence[str]) -> list[int]:
        return [self.indices.setdefault(name, len(self.indices)) for name in names]


def write_layout(layout: Layout, frame: Any) -> None:
    """Put a layout into a `PerceptFrame`."""
    robots, names = layout.robots, _Names()
    slots = [slot for robot in robots for slot in robot.slots]
    frame.has_layout = True
    frame.landmarks = ints(names.of(layout.landmarks))
    frame.environment = ints(names.of([name for name, _ in layout.environment]))
    frame.environment_values = doubles([value for _, value in layout.environment])
    frame.robot_handles = longs([robot.handle for robot in robots])
    frame.robot_names = ints([i for r in robots for i in names.of((r.client, r.robot, r.team, r.side))])
    frame.robot_numbers = ints([n for r in robots for n in (r.variant, r.unum, r.registrations)])
    frame.robot_counts = ints([len(part) for robot in robots for part in _parts(robot)])
    frame.slots = ints([n for s in slots for n in (*names.of((s.kind, s.name)), s.start, len(s.columns))])
    frame.columns = ints([i for slot in slots for i in names.of(slot.columns)])
    frame.hinge_effectors = ints([i for robot in robots for i in names.of(robot.hinge_effectors)])
    frame.visible_parts = ints([i for robot in robots for i in names.of(robot.visible_parts)])
    frame.links = ints([i for robot in robots for i in names.of(robot.links)])
    frame.names = texts(names.indices)


def read_layout(frame: Any) -> Layout:
    """Take the layout out of a `PerceptFrame` that has one.

    Raises:
        FrameError: its arrays do not fit together.
    """
    reader = _Reader(frame)
    landmarks = reader.names("landmarks", len(frame.landmarks))
    environment = zip(reader.names("environment", len(frame.environment)), frame.environment_values, strict=True)
    robots = [reader.robot(row) for row in range(len(frame.robot_handles))]
    reader.check_end()
    return Layout(frame.layout_revision, tuple(robots), landmarks, tuple(environment))


def _parts(robot: RobotLayout) -> tuple[Sequence[object], ...]:
    return robot.slots, robot.hinge_effectors, robot.visible_parts, robot.links


class _Reader:
    """Reads the arrays of a layout from front to back."""

    _INDICES = ("landmarks", "environment", "robot_names", "columns", "hinge_effectors", "visible_parts", "links")

    def __init__(self, frame: Any) -> None:
        count = len(frame.robot_handles)
        for field, each in (("robot_names", 4), ("robot_numbers", 3), ("robot_counts", 4)):
            expect(field, len(getattr(frame, field)), each * count)
        for field in (*self._INDICES, "robot_counts", "slots", "names"):
            if len(getattr(frame, field)) > MAX_ENTRIES:
                raise FrameError(f"{field} has more than {MAX_ENTRIES} entries")
        if len(frame.slots) % 4:
            raise FrameError(f"slots has {len(frame.slots)} entries, not a multiple of 4")
        for field in self._INDICES:
            expect_range(field, from_ints(getattr(frame, field)), len(frame.names))
        expect("environment_values", len(frame.environment_values), len(frame.environment))
        if not all(map(math.isfinite, frame.environment_values)):
            raise FrameError("environment_values has an entry that is not finite")
        self._frame = frame
        self._indices: dict[str, Iterator[int]] = {field: iter(getattr(frame, field)) for field in self._INDICES}
        self._slots = zip(*[iter(frame.slots)] * 4, strict=True)

    def names(self, field: str, count: int) -> tuple[str, ...]:
        """The next names of a field."""
        table, indices = self._frame.names, self._indices[field]
        found = tuple(table[index] for index in islice(indices, max(count, 0)))
        expect(field, len(found), count)
        return found

    def robot(self, row: int) -> RobotLayout:
        """The next robot."""
        frame = self._frame
        variant, unum, registrations = frame.robot_numbers[3 * row : 3 * row + 3]
        slots, effectors, parts, links = frame.robot_counts[4 * row : 4 * row + 4]
        client, robot, team, side = self.names("robot_names", 4)
        return RobotLayout(
            handle=frame.robot_handles[row],
            client=client,
            robot=robot,
            variant=variant,
            team=team,
            side=side,
            unum=unum,
            registrations=registrations,
            slots=tuple(self._slot() for _ in range(slots)),
            hinge_effectors=self.names("hinge_effectors", effectors),
            visible_parts=self.names("visible_parts", parts),
            links=self.names("links", links),
        )

    def check_end(self) -> None:
        """Refuse entries that belong to no robot."""
        if any(True for _ in chain(self._slots, *self._indices.values())):
            raise FrameError("robot_counts leaves entries over")

    def _slot(self) -> Slot:
        entry = next(self._slots, None)
        if entry is None:
            raise FrameError("slots has fewer entries than robot_counts says")
        kind, name, start, count = entry
        if not 0 <= start <= MAX_ENTRIES:
            raise FrameError(f"slots: readings cannot start at {start}")
        table = self._frame.names
        if not (0 <= kind < len(table) and 0 <= name < len(table)):
            raise FrameError(f"slots has an index outside of 0 to {len(table) - 1}")
        return Slot(table[kind], table[name], self.names("columns", count), start)
