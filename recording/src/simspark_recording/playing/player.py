"""Plays the steps of a recording to monitors at the pace at which it was recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property

from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.playing.server import ReplayServer
from simspark_recording.playing.steps import UNKNOWN, StepSource
from simspark_recording.settings import ReplaySettings
from simspark_ros.protocol.monitor.inspection import ReplayProgress

PATIENCE = 5.0
"""Longest time that monitors may take to read the end of the recording, s."""

_CHECK_INTERVAL = 0.1
"""Seconds between two checks for the end of the replay."""


class Replay:
    """Plays a recording from its first to its last step."""

    def __init__(
        self, options: ReplaySettings, source: StepSource, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source = source
        self._options = options
        self._clock = clock
        self._ending = False
        # Recorded time until the next step is due, s, and the time when that was computed.
        self._left = self._updated = 0.0
        self._position = 0.0
        self._roster = UNKNOWN
        self.server = ReplayServer(options, clock)

    def stop(self) -> None:
        """End soon; for signal handlers."""
        self._ending = True

    def run(self, delay: float | None = None) -> None:
        """Play to the last step or `stop`, after a delay, s; None = when a monitor has connected.

        Raises:
            UserError: as of the source.
        """
        begin = self._clock() + (delay or 0.0)
        self._wait(lambda: bool(self.server.clients()) if delay is None else self._clock() >= begin)
        while not self._ending:
            self._play()
            if not self._options.loop and self.server.time.sought is None:
                break
        end = self._clock() + PATIENCE
        self._wait(lambda: self.server.is_flushed or self._clock() >= end)

    def close(self) -> None:
        """Disconnect all monitors."""
        self.server.close()

    def _play(self) -> None:
        """Play from the first step until the last, `stop`, or an order to go to a time before the current step."""
        state, first, pace = MonitorState(), True, self.server.time
        self._left, self._updated, self._position = 0.0, self._clock(), 0.0
        position = 0.0
        for step in self._source(state):
            self._left += step.pause
            position += step.pause
            if not first and pace.sought is None:
                self._pass(state)
            first = False
            if self._ending or (pace.sought is not None and pace.sought < self._position):
                return
            if pace.sought is not None and position < pace.sought:
                continue
            if pace.sought is not None:
                pace.sought, self._left = None, 0.0
                self.server.show_all()
            self._position = position
            step.act()
            if step.frame:
                self._roster = step.roster
                self.server.tell(self._playback, step.roster)
                self.server.show_frame(step.frame, state)
        pace.sought = None

    def _playback(self) -> ReplayProgress:
        return ReplayProgress(self._position, self._duration)

    @cached_property
    def _duration(self) -> float:
        return self._source.duration()

    def _pass(self, state: MonitorState) -> None:
        """Serve monitors until the next frame is due by what is left of recorded time, or by a step."""
        pace = self.server.time
        self.server.poll(0.0)
        while not self._ending and pace.sought is None:
            now = self._clock()
            if not pace.paused:
                self._left -= (now - self._updated) * pace.speed
            self._updated = now
            if pace.paused and pace.take_step():
                self._left = 0.0
                return
            if not pace.paused and self._left <= 0.0:
                return
            if pace.paused and state.shown and self.server.has_newcomers:
                self.server.show_all()
                self.server.tell(self._playback, self._roster)
                self.server.show_frame(b"", state)
            self.server.poll(_CHECK_INTERVAL if pace.paused else min(self._left / pace.speed, _CHECK_INTERVAL))

    def _wait(self, condition: Callable[[], bool]) -> None:
        """Serve monitors until a condition holds."""
        while not condition() and not self._ending:
            self.server.poll(_CHECK_INTERVAL)
