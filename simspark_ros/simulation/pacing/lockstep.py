"""Lock-step with `(syn)` of all agents."""

from __future__ import annotations

from simspark_ros.simulation.pacing.real_time import RealTime
from simspark_ros.simulation.pacing.source import POLL


class Lockstep(RealTime):
    """A cycle starts when all clients have answered, but no sooner than an ordered speed allows.

    Without clients time is real, and lateness is not caught up: the next client must not find time hurrying.
    """

    @property
    def slips(self) -> bool:
        """Always."""
        return True

    def quanta_due(self) -> int | None:
        """See `TimeSource.quanta_due`."""
        scheduler, participants = self.scheduler, self.scheduler.participants
        if not participants.count:
            return super().quanta_due()
        early = self._due - scheduler.clock() if scheduler.speed and not scheduler.paused else 0.0
        if early > 0.0:
            participants.wait(min(early, POLL))
            return None
        participants.wait(0.0 if participants.ready else POLL)
        now = scheduler.clock()
        # The time that agents take is not caught up, only the excess of a wait, up to one period.
        self._due = max(self._due, now - scheduler.period) if scheduler.speed else now
        if not participants.ready:
            return None
        if scheduler.speed:
            self._due += scheduler.period
        return 1
