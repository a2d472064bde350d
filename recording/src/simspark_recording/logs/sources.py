"""Monitor logs of either kind as steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from simspark_recording.logs.rsmp_log import OPENING, RsmpReader, classic_frames, simulated_time
from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.playing.steps import UNKNOWN, ReplayStep, StepSource
from simspark_recording.settings import ReplaySettings
from simspark_ros.protocol.monitor.inspection import Roster
from simspark_ros.protocol.monitor.log import FULL, LogError, read_frames
from simspark_ros.protocol.monitor.reader import FrameError
from simspark_ros.protocol.monitor.rosters import read_rosters, without_handles
from simspark_ros.server.inspection import roster_of

_TIME = re.compile(rb"\(time (\d+(?:\.\d*)?)\)")


def log_source(options: ReplaySettings) -> StepSource:
    """The steps of a log of either kind of monitors.

    Raises:
        LogError: the file is no monitor log, or cannot be read.
    """
    first = next(read_frames(options.path, b""))
    if first.startswith(OPENING):
        return RsmpLogSource(options)
    next(read_frames(options.path))
    return LogSource(options)


class LogSource:
    """The steps of a monitor log; a `LogError` names a malformed frame."""

    def __init__(self, options: ReplaySettings) -> None:
        self._path, self._interval = options.path, options.interval

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """See `StepSource`."""
        return _steps(self._path, self._interval, self._shown(state))

    def _shown(self, state: MonitorState) -> Iterator[tuple[bytes, float]]:
        for number, frame in enumerate(read_frames(self._path), 1):
            try:
                state.show(frame)
            except LogError as error:
                raise LogError(f"{self._path}, line {number}: {error}") from None
            yield frame, state.time

    def duration(self) -> float:
        """See `StepSource`; reads no more of the frames than their times."""
        found = (_TIME.search(frame) for frame in read_frames(self._path))
        return _length((float(match[1]) for match in found if match), self._interval)


class RsmpLogSource:
    """The steps of a log of monitors of the league since 2026; a `LogError` names a malformed frame."""

    def __init__(self, options: ReplaySettings) -> None:
        self._path, self._interval = options.path, options.interval

    def __call__(self, state: MonitorState) -> Iterator[ReplayStep]:
        """See `StepSource`."""
        reader = RsmpReader()
        return _steps(self._path, self._interval, self._shown(reader, state), lambda: _roster_of(reader))

    def _shown(self, reader: RsmpReader, state: MonitorState) -> Iterator[tuple[bytes, float]]:
        try:
            for frame in classic_frames(reader, read_frames(self._path, OPENING)):
                state.show(frame)
                yield frame, reader.simulated
        except FrameError as error:
            raise LogError(f"{self._path}, {error}") from None

    def duration(self) -> float:
        """See `StepSource`."""
        times = map(simulated_time, read_frames(self._path, OPENING))
        return _length((time for time in times if time is not None), self._interval)


def pause(earlier: float, later: float, usual: float, longest: float = 5.0) -> float:
    """Time between two frames by their game times, s; `usual` while time stands still or after it was set."""
    passed = later - earlier
    return passed if 0.0 < passed <= longest else usual


def _steps(
    path: Path,
    interval: float,
    shown: Iterable[tuple[bytes, float]],
    own_roster: Callable[[], Roster | None] = lambda: None,
) -> Iterator[ReplayStep]:
    """Yield a step for each frame and its time, s; the file beside a log tells of robots that it does not."""
    rosters, roster = iter(read_rosters(path)), UNKNOWN
    earlier: float | None = None
    for frame, now in shown:
        if FULL in frame:
            roster = own_roster() or next(rosters, UNKNOWN)
        yield ReplayStep(0.0 if earlier is None else pause(earlier, now, interval), frame, roster=roster)
        earlier = now


def _length(times: Iterable[float], interval: float) -> float:
    """Time that a replay takes, s."""
    return sum(pause(earlier, later, interval) for earlier, later in pairwise(times))


def _roster_of(reader: RsmpReader) -> Roster | None:
    """The robots of a log as their files describe them, None if one has no file."""
    if not reader.descriptions:
        return None
    names = (robot.robot for robot in reader.layout.robots)
    return without_handles(roster_of(reader.layout, list(zip(names, reader.descriptions, strict=True))))
