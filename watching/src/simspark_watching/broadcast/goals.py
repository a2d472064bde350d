"""Goals with scorer and minute, from what monitors see: no protocol tells who has scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.scene_recognition import SceneObjects

REACH = 0.45
"""Largest distance on the ground from the ball to the torso of a player that may have touched it, m."""

TOUCH = 0.25
"""Change of the ball's speed that shows a touch, m/s; rolling changes it less."""

_LONGEST = 1.0
"""Longest time between two pictures that tell a speed, s."""


@dataclass(frozen=True)
class ShownGoal:
    """A goal at a game time, s; `unum` 0 = unknown scorer, `own` = an own goal of a player of the other team."""

    side: Side
    time: float
    unum: int = 0
    own: bool = False

    @property
    def text(self) -> str:
        """Scorer and minute as on boards: `#9 3'`."""
        name = f"#{self.unum} " if self.unum else ""
        return f"{name}{int(self.time // 60.0) + 1}'{' (own goal)' if self.own else ''}"


class ScoreWatch:
    """Watches who touches the ball, and the score.

    Attributes:
        goals: goals of this match so far.
    """

    def __init__(self) -> None:
        self.goals: tuple[ShownGoal, ...] = ()
        self._score: dict[Side, int] | None = None
        self._last: tuple[Side, int] | None = None
        self._time = 0.0
        self._ball: Array | None = None
        self._speed: Array | None = None

    def follow(
        self, reader: MonitorReader, objects: SceneObjects, torsos: Array, ball: Array | None
    ) -> list[ShownGoal]:
        """Take a picture: torsos (R, 3) of the robots of the scene and the ball (3,), m; returns new goals."""
        time = reader.time
        if time < self._time:
            # A log goes back, or another match begins.
            self.goals = tuple(goal for goal in self.goals if goal.time <= time)
            self._ball = self._speed = self._last = None
        if ball is not None:
            self._see(time, objects, torsos, ball)
        self._time, self._ball = time, ball
        return self._count(reader)

    def _see(self, time: float, objects: SceneObjects, torsos: Array, ball: Array) -> None:
        passed = time - self._time
        if self._ball is None or not 0.0 < passed < _LONGEST:
            self._speed = None
            return
        speed = (ball - self._ball) / passed
        if self._speed is not None and np.linalg.norm(speed - self._speed) > TOUCH and len(torsos):
            away = np.linalg.norm(torsos[:, None, :2] - np.stack([ball, self._ball])[:, :2], axis=2).min(1)
            nearest = objects.robots[int(away.argmin())]
            if away.min() < REACH and nearest.side:
                self._last = nearest.side, nearest.unum
        self._speed = speed

    def _count(self, reader: MonitorReader) -> list[ShownGoal]:
        score = {side: int(reader.environment.get(f"score_{side.value}", "0")) for side in Side}
        before, self._score = self._score or score, score
        scored = [side for side in Side if score[side] == before[side] + 1]
        new = [self._goal(side, reader.time) for side in scored]
        self.goals += tuple(new)
        if any(score[side] < before[side] for side in Side) and not any(score.values()):
            self.goals = ()
        return new

    def _goal(self, side: Side, time: float) -> ShownGoal:
        if self._last is None:
            return ShownGoal(side, time)
        of, unum = self._last
        return ShownGoal(side, time, unum, of is not side)
