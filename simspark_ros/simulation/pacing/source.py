"""Base of sources of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

POLL = 0.02
"""Longest time spent in one wait, so that requests and signals are served while no client sends, s."""


class Participants(Protocol):
    """Clients that the simulation may have to wait for."""

    def wait(self, timeout: float) -> None:
        """Serve connections until something came in or the timeout (s) has passed."""

    @property
    def count(self) -> int:
        """How many clients with a robot take part."""

    @property
    def ready(self) -> bool:
        """Whether all of them have answered."""


class Lateness(Protocol):
    """The settings of a simulation that say what happens to late cycles; see `SimulationSettings`."""

    @property
    def late_cycles(self) -> str:
        """The remedy when real time is missed: `cycles`, `quanta` or `slip`."""

    @property
    def catch_up_limit(self) -> float:
        """The longest delay that is caught up, s."""


class TimeKeeper(Protocol):
    """The part of the scheduler that sources of time use.

    Attributes:
        participants: the clients.
        clock: the clock of this machine, s.
        warn: function that takes a warning for the operator.
        cycle_time: the length of a quantum, s.
        paused: whether time stands still but for single steps.
        told: the latest time of another program's clock, s; None before the first.
        jump: the simulated time at which the next cycle is to start, s.
    """

    participants: Participants
    clock: Callable[[], float]
    warn: Callable[[str], object]
    cycle_time: float
    paused: bool
    told: float | None
    jump: float | None

    @property
    def settings(self) -> Lateness:
        """The settings of the simulation."""

    @property
    def speed(self) -> float | None:
        """Times real time at most, None = as the pacing says."""

    @property
    def period(self) -> float:
        """Time between two cycles that are not held up, s."""

    def give_up(self, late: float, now: float) -> None:
        """Warn of time that is not caught up, s."""


class TimeSource:
    """Says when the next cycle may start; one is made when the pacing of its name begins.

    Other distributions add sources by entry points in the group `simspark_ros.time_sources`; the setting `pacing` names
    them. An exception of the constructor refuses the pacing.

    Attributes:
        scheduler: the scheduler that asks; it has this machine's clock, the ordered speed, the length of a cycle and
            the clients.
    """

    def __init__(self, scheduler: TimeKeeper) -> None:
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
