"""Three pacings by this machine's clock: real time, as fast as possible, and lock-step with `(syn)` of all agents."""

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


class Lockstep(RealTime):
    """A cycle starts when all clients have answered, but no sooner than an ordered speed allows.

    Without clients time is real and lateness is not caught up, so that time does not hurry when a client comes.
    """

    @property
    def slips(self) -> bool:
        """True: late cycles stay late."""
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
        speed = scheduler.speed
        self._due = max(self._due, now - scheduler.period) if speed else now
        if not participants.ready:
            return None
        if speed:
            self._due += scheduler.period
        return 1
