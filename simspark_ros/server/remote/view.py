"""What one proxy is shown of a cycle: its own clients' readings and how everybody looks, nothing for monitors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import GameSnapshot, Layout, Notice, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Sight


class ProxyView:
    """Cuts percepts of one layout down.

    Attributes:
        layout: as the proxy gets it: its own clients under the names that it gave them, other robots without
            perceptors, joints and client.
        own: the layouts of its own clients' robots, with the proxy's names.
    """

    def __init__(self, layout: Layout, prefix: str) -> None:
        """Prepare for a layout.

        Args:
            layout: of the simulator.
            prefix: begins the names of the proxy's clients in the simulator, and of nobody else's.
        """
        self._prefix = prefix
        rows: list[int] = []
        flags: list[bool] = []
        values: list[int] = []
        robots: list[RobotLayout] = []
        for row, robot in enumerate(layout.robots):
            is_own = bool(robot.client) and robot.client.startswith(prefix)
            flags += [is_own] * len(robot.slots)
            if not is_own:
                robots.append(replace(robot, client="", slots=(), hinge_effectors=(), links=()))
                continue
            rows.append(row)
            slots = []
            for slot in robot.slots:
                slots.append(Slot(slot.kind, slot.name, slot.columns, len(values)))
                values += range(slot.start, slot.start + len(slot.columns))
            robots.append(replace(robot, client=robot.client[len(prefix) :], slots=tuple(slots)))
        self.layout = Layout(layout.revision, tuple(robots), layout.landmarks)
        self.own = tuple(robots[row] for row in rows)
        self._handles = frozenset(robot.handle for robot in self.own)
        self._values = np.array(values, np.int64)
        self._flags = np.array(flags, np.bool_)
        self._is_own = np.zeros(len(robots), np.bool_)
        self._is_own[rows] = True

    def of(self, percepts: Percepts) -> Percepts:
        """Cut percepts of the layout down."""
        prefix, game = self._prefix, percepts.game
        return replace(
            percepts,
            layout=self.layout,
            game=GameSnapshot(
                game.time,
                game.play_mode,
                game.score_left,
                game.score_right,
                game.half,
                game.team_left,
                game.team_right,
            ),
            values=percepts.values.take(self._values),
            present=percepts.present[self._flags],
            sight=self._sight(percepts.sight) if percepts.sight is not None else None,
            heard=tuple(heard for heard in percepts.heard if heard.handle in self._handles),
            poses=None,
            notices=tuple(
                Notice(notice.client[len(prefix) :], notice.text)
                for notice in percepts.notices
                if notice.client.startswith(prefix)
            ),
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
