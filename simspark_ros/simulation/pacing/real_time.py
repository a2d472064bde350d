"""Two pacings: real time by this machine's clock, and as fast as possible."""

from __future__ import annotations

import math

from simspark_ros.simulation.pacing.source import POLL, TimeSource


class RealTime(TimeSource):
    """Real time, or a multiple of it; late cycles are treated as the setting `late_cycles` says."""

    def restart(self) -> None:
        """See `TimeSource.restart`."""
        self._due = self.scheduler.clock()

    @property
    def slips(self) -> bool:
        """Whether late cycles stay late."""
        return self.scheduler.settings.late_cycles == "slip"

    def quanta_due(self) -> int | None:
        """See `TimeSource.quanta_due`."""
        scheduler = self.scheduler
        if scheduler.paused or scheduler.speed == math.inf:
            return self.at_once()
        now = scheduler.clock()
        if now < self._due:
            scheduler.participants.wait(min(self._due - now, POLL))
            if scheduler.clock() < self._due:
                return None
            now = self._due
        else:
            scheduler.participants.wait(0.0)
        late = now - self._due
        if self.slips:
            self._due = now + scheduler.period
            return 1
        if late > scheduler.settings.catch_up_limit:
            scheduler.give_up(late, now)
            self._due = now + scheduler.period
            return 1
        quanta = 1 + int(late / scheduler.period) if scheduler.settings.late_cycles == "quanta" else 1
        self._due += quanta * scheduler.period
        return quanta


class AsFastAsPossible(RealTime):
    """One cycle after the other, unless a speed is ordered."""

    def quanta_due(self) -> int | None:
        """See `TimeSource.quanta_due`."""
        return self.at_once() if self.scheduler.speed is None else super().quanta_due()
