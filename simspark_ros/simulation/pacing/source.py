"""Base of sources of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simspark_ros.simulation.pacing.scheduler import Scheduler

POLL = 0.02
"""Longest time spent in one wait, so that requests and signals are served while no client sends, s."""


class TimeSource:
    """Says when the next cycle may start; one is made when the pacing of its name begins.

    Other distributions add sources by entry points in the group `simspark_ros.time_sources`; the setting `pacing` names
    them. An exception of the constructor refuses the pacing.

    Attributes:
        scheduler: the scheduler that asks; it has this machine's clock, the ordered speed, the length of a cycle and
            the clients.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.restart()

    def restart(self) -> None:
        """Let time go on from now, after a pause or a change of speed; time that passed before is not caught up."""

    def quanta_due(self) -> int | None:
        """Serve clients by `scheduler.participants.wait`, and wait at most `POLL` for the next cycle to be due.

        Returns:
            Number of quanta of a cycle that starts now; None if no cycle may start yet. While the scheduler is
            `paused`, it asks for single steps, which wait for no clock.
        """
        raise NotImplementedError

    def done(self) -> None:
        """Another source follows: end threads and connections."""

    def at_once(self) -> int:
        """Serve clients, and start a cycle now."""
        self.scheduler.participants.wait(0.0)
        return 1
