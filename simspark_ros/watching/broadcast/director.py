"""Watches a match for goals, which a broadcast announces and shows again."""

from __future__ import annotations

from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.watching.broadcast.board import board_of
from simspark_ros.watching.broadcast.bodies import BodyFrames
from simspark_ros.watching.broadcast.goals import ScoreWatch, ShownGoal
from simspark_ros.watching.broadcast.poses import BodyPoses
from simspark_ros.watching.broadcast.scene_recognition import SceneObjects
from simspark_ros.watching.broadcast.slow_motion import AFTER, PoseRecording, SlowMotion

BANNER = 4.0
"""Time for which a goal is announced, s, unless its replay comes first."""

REPLAY = "REPLAY"
"""Text that announces a replay."""

_FASTEST = 2.0
"""Highest speed of the game with replays, times real time; in a faster game too much would happen meanwhile."""


class Director:
    """Takes pictures one after the other, each at a time, s, on any clock."""

    def __init__(self) -> None:
        self._recording, self._watch = PoseRecording(), ScoreWatch()
        self._scored: float | None = None
        self._banner, self._banner_end = "", 0.0
        self._last = (0.0, 0.0)
        self._pace = 0.0

    @property
    def goals(self) -> tuple[ShownGoal, ...]:
        """Goals of this match so far."""
        return self._watch.goals

    def see(
        self, time: float, reader: MonitorReader, objects: SceneObjects, bodies: BodyFrames, poses: BodyPoses
    ) -> None:
        """Take a picture."""
        self._recording.keep(time, poses)
        before, self._last = self._last, (time, reader.time)
        passed = time - before[0]
        if passed > 0.0:
            self._pace += min(passed, 1.0) * ((reader.time - before[1]) / passed - self._pace)
        ball = poses.positions[bodies.ball_row] if bodies.ball else None
        for goal in self._watch.follow(reader, objects, poses.positions[bodies.torsos], ball):
            team = getattr(board_of(reader), goal.side.value)
            self._scored, self._banner, self._banner_end = time, f"GOAL  {team.name}  {goal.text}", time + BANNER

    def banner(self, time: float) -> str:
        """The announcement at a time; empty = none."""
        return self._banner if time < self._banner_end else ""

    def take_replay(self, time: float) -> SlowMotion | None:
        """The replay that is due at a time, once."""
        if self._scored is None or time < self._scored + AFTER:
            return None
        scored, self._scored = self._scored, None
        if self._pace > _FASTEST:
            return None
        self._banner_end = 0.0
        return self._recording.goal(scored)
