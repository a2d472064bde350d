"""The clock of another program: a simulator, or a recording that is played."""

from __future__ import annotations

import math

from simspark_ros.simulation.pacing.source import TimeSource

EXTERNAL = "external"
"""Name of the pacing."""

LOOK = 0.002
"""Longest wait for the clock, s: a cycle may start late by as much."""

SILENCE = 10.0
"""Time at the start without word from the clock before a warning, and least time between two warnings, s."""

ROUNDING = 1e-6
"""Share of a cycle by which the clock may be early: sums of cycles are rounded."""


class ExternalClock(TimeSource):
    """A cycle starts when the clock has reached the cycle's end; while the clock stands, time stands.

    Simulated time is the clock's time. It jumps to the first time told, to an earlier time, and to a later time too far
    away to be caught up (`catch_up_limit`). The world itself goes on as it is. Ordered speeds have no effect.
    """

    def restart(self) -> None:
        """See `TimeSource.restart`: goes on at the clock's time."""
        self._time: float | None = None
        self._latest = -math.inf
        self._quiet_until = self.scheduler.clock() + SILENCE

    def quanta_due(self) -> int | None:
        """See `TimeSource.quanta_due`."""
        scheduler = self.scheduler
        if scheduler.paused:
            return self.at_once()
        told = scheduler.told
        if told is None:
            self._warn("no time has come on /clock: does a program publish it?")
        else:
            self._follow(told)
        if self._time is None or (told or 0.0) - self._time < scheduler.cycle_time * (1.0 - ROUNDING):
            scheduler.participants.wait(LOOK)
            return None
        self._time += scheduler.cycle_time
        return self.at_once()

    def _follow(self, told: float) -> None:
        before, self._latest = self._latest, told
        if self._time is None:
            self._jump(told)
            self._quiet_until = -math.inf
        elif told < before:
            self._jump(told)
            self._warn(
                f"/clock went back from {before:.2f} s to {told:.2f} s: simulated time goes on from {told:.2f} s, and "
                "the world stays as it is. If this happens repeatedly, two programs publish /clock"
            )
        elif told - self._time > self.scheduler.settings.catch_up_limit + self.scheduler.cycle_time:
            missed = told - self._time
            self._jump(told)
            self._warn(
                f"/clock is {missed:.2f} s ahead, more than catch_up_limit: simulated time jumps to {told:.2f} s"
            )

    def _jump(self, to: float) -> None:
        self._time = to
        self.scheduler.jump = to

    def _warn(self, text: str) -> None:
        now = self.scheduler.clock()
        if now >= self._quiet_until:
            self.scheduler.warn(text)
            self._quiet_until = now + SILENCE
