"""The last seconds of a match, and their replay in slow motion."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from simspark_ros.watching.broadcast.poses import BodyPoses, between

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
