"""Percepts as one remote side gets them: its own clients under its own names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Layout, Notice, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Sight


class RemoteView:
    """Percepts of one layout for one remote side.

    Args:
        layout: the simulator's layout.
        prefix: start of the keys of the side's clients in the simulator, and of no others.
        whole: whether everything passes, as monitors need it; else poses and other robots' perceptors, joints and
            links are left out.
    """

    def __init__(self, layout: Layout, prefix: str, *, whole: bool = False) -> None:
        self._prefix = prefix
        self._whole = whole
        rows: list[int] = []
        flags: list[bool] = []
        values: list[int] = []
        robots: list[RobotLayout] = []
        for row, robot in enumerate(layout.robots):
            is_own = bool(robot.client) and robot.client.startswith(prefix)
            if whole:
                robots.append(robot._replace(client=robot.client[len(prefix) :] if is_own else ""))
                continue
            flags += [is_own] * len(robot.slots)
            if not is_own:
                robots.append(robot._replace(client="", slots=(), hinge_effectors=(), links=()))
                continue
            rows.append(row)
            slots = []
            for slot in robot.slots:
                slots.append(Slot(slot.kind, slot.name, slot.columns, len(values)))
                values += range(slot.start, slot.start + len(slot.columns))
            robots.append(robot._replace(client=robot.client[len(prefix) :], slots=tuple(slots)))
        self.layout = layout._replace(robots=tuple(robots))
        self._handles = frozenset(robots[row].handle for row in rows)
        self._values = np.array(values, np.int64)
        self._flags = np.array(flags, np.bool_)
        self._is_own = np.zeros(len(robots), np.bool_)
        self._is_own[rows] = True

    def of(self, percepts: Percepts) -> Percepts:
        """Percepts of the layout as the remote side gets them."""
        own = [notice for notice in percepts.notices if notice.client.startswith(self._prefix)]
        notices = tuple(Notice(notice.client[len(self._prefix) :], notice.text) for notice in own)
        if self._whole:
            return replace(percepts, layout=self.layout, notices=notices)
        return replace(
            percepts,
            layout=self.layout,
            values=percepts.values.take(self._values),
            present=percepts.present[self._flags],
            sight=self._sight(percepts.sight) if percepts.sight is not None else None,
            heard=tuple(heard for heard in percepts.heard if heard.handle in self._handles),
            poses=None,
            notices=notices,
        )

    def _sight(self, sight: Sight) -> Sight | None:
        looks = self._is_own[sight.observers]
        if looks.all():
            return sight
        if not looks.any():
            return None
        objects, object_offset = _chosen(sight.object_offset, looks)
        lines, line_offset = _chosen(sight.line_offset, looks)
        return Sight(
            sight.observers[looks],
            object_offset,
            sight.object_target[objects],
            sight.object_polar[objects],
            line_offset,
            sight.line_polar[lines],
        )


def _chosen(offset: NDArray[np.int64], groups: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Entries of the chosen groups, and the offsets among them."""
    sizes = np.diff(offset)
    return np.repeat(groups, sizes), np.concatenate([[0], np.cumsum(sizes[groups])]).astype(np.int64)
