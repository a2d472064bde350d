"""Watches a match for goals, which a broadcast announces and shows again in slow motion."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_watching.broadcast.board import board_of
from simspark_watching.broadcast.bodies import BodyFrames, BodyPoses, between
from simspark_watching.broadcast.goals import ScoreWatch, ShownGoal
from simspark_watching.broadcast.scene_recognition import SceneObjects

BEFORE, AFTER = 4.0, 1.5
"""Times before and after a goal between which its replay runs, s."""

SPEED = 0.5
"""Speed of a replay, times as recorded."""


class PoseRecording:
    """Poses of the last seconds, each at a time, s, on any clock."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, BodyPoses]] = deque()

    def keep(self, time: float, poses: BodyPoses) -> None:
        """Add poses; another number of bodies, or a time that goes back, makes it forget earlier poses."""
        if self._kept and (time < self._kept[-1][0] or len(poses.positions) != len(self._kept[-1][1].positions)):
            self._kept.clear()
        self._kept.append((time, poses))
        while self._kept[0][0] < time - BEFORE - AFTER - 1.0:
            self._kept.popleft()

    def goal(self, time: float) -> SlowMotion | None:
        """The replay of a goal at a time; None if nothing of it is known."""
        shown = [one for one in self._kept if time - BEFORE <= one[0] <= time + AFTER]
        return SlowMotion(shown) if len(shown) > 1 else None


class SlowMotion:
    """A replay of poses (at least one), each at a time, s."""

    def __init__(self, kept: Sequence[tuple[float, BodyPoses]]) -> None:
        self._times = [time for time, _ in kept]
        self._poses = [poses for _, poses in kept]

    @property
    def duration(self) -> float:
        """Duration of the replay, s."""
        return (self._times[-1] - self._times[0]) / SPEED

    def at(self, seconds: float) -> BodyPoses:
        """Poses at a time, s, after the replay's start."""
        time = self._times[0] + seconds * SPEED
        later = bisect_right(self._times, time)
        if later in (0, len(self._times)):
            return self._poses[0 if later == 0 else -1]
        begin, end = self._times[later - 1 : later + 1]
        return between(self._poses[later - 1], self._poses[later], (time - begin) / (end - begin))


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
