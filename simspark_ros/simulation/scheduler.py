"""The one object that decides when the next cycle may start.

Real time, as fast as possible, lock-step with `(syn)`, pause and single steps are policies of it (protocol reference,
section 3 "Sync mode"; user manual, "Single-threaded Timer").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from simspark_ros.simulation.settings import SimulationSettings

POLL = 0.02
"""Longest time spent in one wait, so that requests and signals are served while no client sends, s."""


WARNING_PERIOD = 10.0
"""Least time between two warnings that real time is not kept, s: a machine may be too slow all the time."""


class Participants(Protocol):
    """Those who may have to be waited for."""

    def wait(self, timeout: float) -> None:
        """Serve connections until something came in or the timeout (s) has passed."""

    @property
    def count(self) -> int:
        """How many clients with a robot take part."""

    @property
    def ready(self) -> bool:
        """Whether all of them have answered."""


class Scheduler:
    """Decides when a cycle may start and how many time quanta it has; a quantum lasts `cycle_time`, s.

    Participants are served during every wait. `warn` takes a warning for the operator. `late_cycles` of the settings:
    `cycles` runs whole cycles back to back until time has caught up, `quanta` runs the missed physics in one cycle
    without agents (user manual), `slip` lets time slip, as rcssserver3d 0.7.3 does.

    Attributes:
        cycle_time: of a quantum, s; changes with the world.
        ordered_speed: times real time, instead of the settings' speed; infinity = as fast as possible, which lock-step
            is anyway; None = as the settings say.
        halted: whether no cycle starts, whatever is asked for: there is no world.
    """

    def __init__(
        self,
        settings: SimulationSettings,
        cycle_time: float,
        participants: Participants,
        clock: Callable[[], float],
        warn: Callable[[str], object] = lambda text: None,
    ) -> None:
        self.settings = settings
        self.paused = self.halted = False
        self.ordered_speed: float | None = None
        self.cycle_time = cycle_time
        self._participants = participants
        self._clock = clock
        self._warn = warn
        self._due = clock()
        self._given_up, self._next_warning = 0.0, -math.inf
        self._steps = 0
        self._started = settings.wait_for_robots == 0
        self._enough = False

    def step(self, cycles: int) -> None:
        """Let that many cycles run although the simulation is paused."""
        self._steps += cycles

    def start(self) -> None:
        """Let time start although there are fewer robots than `wait_for_robots`."""
        self._enough = True

    def wait_for(self, players: int) -> None:
        """Let time stand still until there are so many players, or `start`."""
        self.settings = replace(self.settings, wait_for_robots=players)
        self._started, self._enough = players == 0, False
        self._due = self._clock()

    def pause(self) -> None:
        """Stop time; steps not yet run are forgotten."""
        self.paused, self._steps = True, 0

    def resume(self) -> None:
        """Let time run again, without catching up for the pause."""
        self.paused = False
        self._due = self._clock()

    def set_speed(self, speed: float | None) -> None:
        """Set the speed as a multiple of real time (infinity = as fast as possible), or leave it to the settings."""
        self.ordered_speed = speed
        self._due = self._clock()

    @property
    def started(self) -> bool:
        """Whether there have been enough robots, so that they need not be counted any more."""
        return self._started

    @property
    def speed(self) -> float | None:
        """Times real time at most, None = as the pacing says."""
        return self.ordered_speed or self.settings.speed or None

    @property
    def _period(self) -> float:
        """Time between two cycles that are not held up, s."""
        return self.cycle_time / (self.speed or 1.0)

    def time_is_up(self, seconds: float) -> Callable[[], bool]:
        """Tells whether so much wall time has passed since now."""
        end = self._clock() + seconds
        return lambda: self._clock() >= end

    def quanta_due(self, players: int = 0) -> int | None:
        """Wait a little, at most `POLL`.

        Args:
            players: robots of clients in the world; time does not start before there are enough. Unused once `started`.

        Returns:
            Number of quanta of a cycle that starts now; 0 for a cycle in which only inputs are served because time
            has not started yet; None if no cycle may start yet.
        """
        if self.halted or (self.paused and self._steps == 0):
            self._participants.wait(POLL)
            return None
        if not self._started:
            return self._start(players)
        stepping = self.paused
        if self.settings.pacing == "lockstep" and self._participants.count:
            quanta = self._lockstep()
        elif self.paused or self.speed == math.inf or (self.settings.pacing == "fast" and self.speed is None):
            self._participants.wait(0.0)
            quanta = 1
        else:
            quanta = self._realtime()
        if self.paused and not stepping:
            # A request that was served meanwhile has paused.
            return None
        if quanta and stepping:
            self._steps = max(0, self._steps - 1)
        return quanta

    def _start(self, players: int) -> int:
        if self._enough or players >= self.settings.wait_for_robots:
            self._started = True
            self._due = self._clock()
        else:
            self._participants.wait(POLL)
        return 0

    def _lockstep(self) -> int | None:
        early = self._due - self._clock() if self.speed and not self.paused else 0.0
        if early > 0.0:
            self._participants.wait(min(early, POLL))
            return None
        self._participants.wait(0.0 if self._participants.ready else POLL)
        now = self._clock()
        # The time that agents take is not caught up, only the excess of a wait, up to one period.
        self._due = max(self._due, now - self._period) if self.speed else now
        if not self._participants.ready:
            return None
        if self.speed:
            self._due += self._period
        return 1

    def _realtime(self) -> int | None:
        now = self._clock()
        if now < self._due:
            self._participants.wait(min(self._due - now, POLL))
            if self._clock() < self._due:
                return None
            now = self._due
        else:
            self._participants.wait(0.0)
        late = now - self._due
        # Lock-step without agents: whoever comes next does not find time hurrying.
        if self.settings.late_cycles == "slip" or self.settings.pacing == "lockstep":
            self._due = now + self._period
            return 1
        if late > self.settings.catch_up_limit:
            self._give_up(late, now)
            self._due = now + self._period
            return 1
        quanta = 1 + int(late / self._period) if self.settings.late_cycles == "quanta" else 1
        self._due += quanta * self._period
        return quanta

    def _give_up(self, late: float, now: float) -> None:
        """Warn of time that is not caught up, s, with that since the last warning."""
        self._given_up += late
        if now >= self._next_warning:
            self._warn(
                f"the simulation is {self._given_up:.2f} s behind real time and gives up catching up; this machine is"
                " too slow for it: choose a faster engine, fewer robots, or the pacing lockstep, which waits for agents"
            )
            self._given_up, self._next_warning = 0.0, now + WARNING_PERIOD
