"""The one object that decides when the next cycle may start.

It handles pause, single steps and the wait for enough robots itself; otherwise it asks the source of time that the
pacing names (protocol reference, section 3 "Sync mode"; user manual, "Single-threaded Timer").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.pacing.registry import make_time_source
from simspark_ros.simulation.pacing.source import POLL, Participants, TimeSource
from simspark_ros.simulation.settings import SimulationSettings

WARNING_PERIOD = 10.0
"""Least time between two warnings that real time is not kept, s: a machine may be too slow all the time."""

SETTLING = 10.0
"""Time after the start without a word of lateness, s: camera, viewer and players start then and take the processor."""


class Scheduler:
    """Decides when a cycle may start and how many time quanta it has; a quantum lasts `cycle_time`, s.

    Participants are served during every wait. `warn` takes a warning for the operator. The setting `late_cycles`:
    `cycles` runs whole cycles back to back until time has caught up, `quanta` runs the missed physics in one cycle
    without agents (user manual), `slip` lets time slip, as rcssserver3d 0.7.3 does.

    Attributes:
        cycle_time: duration of a quantum, s; changes with the world.
        ordered_speed: speed in multiples of real time, instead of the settings' speed; infinity = as fast as possible,
            as lock-step always is; None = as the settings say.
        halted: whether no cycle starts at all, because there is no world.
        participants, clock, warn: the arguments of those names.
        told: latest time of the external clock, s; None before the first. Any thread may set it.
        jump: simulated time from which the next cycle is to start, s; the simulation jumps and sets it to None.

    Raises:
        UserError: the source of time that the settings name cannot be used.
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
        self.told: float | None = None
        self.jump: float | None = None
        self.participants, self.clock, self.warn = participants, clock, warn
        self._given_up, self._last_warning, self._ran_from = 0.0, -math.inf, -math.inf
        self._settled = clock() + SETTLING
        self._steps = 0
        self.started = settings.wait_for_robots == 0
        self._enough = False
        self._pacing, self._source = settings.pacing, make_time_source(settings.pacing, self)

    def step(self, cycles: int) -> None:
        """Let that many cycles run although the simulation is paused."""
        self._steps += cycles

    def start(self) -> None:
        """Let time start although there are fewer robots than `wait_for_robots`."""
        self._enough = True

    def wait_for(self, players: int) -> None:
        """Let time stand still until there are so many players, or `start`."""
        self.settings = replace(self.settings, wait_for_robots=players)
        self.started, self._enough = players == 0, False
        self.restart()

    def pause(self) -> None:
        """Stop time; steps not yet run are forgotten."""
        self.paused, self._steps = True, 0

    def resume(self) -> None:
        """Let time run again, without catching up for the pause."""
        self.paused = False
        self.restart()

    def set_speed(self, speed: float | None) -> None:
        """Set the speed as a multiple of real time (infinity = as fast as possible), or leave it to the settings."""
        self.ordered_speed = speed
        self.restart()

    @property
    def speed(self) -> float | None:
        """Greatest speed in multiples of real time, None = as the pacing says."""
        return self.ordered_speed or self.settings.speed or None

    def restart(self) -> None:
        """Let time go on from now, without catching anything up."""
        self._source.restart()
        self._ran_from = -math.inf

    @property
    def period(self) -> float:
        """Time between two cycles that are not held up, s."""
        return self.cycle_time / (self.speed or 1.0)

    def quanta_due(self, players: int = 0) -> int | None:
        """Wait a little, at most `POLL`.

        Args:
            players: robots of clients in the world; time does not start before there are enough. Unused once `started`.

        Returns:
            Number of quanta of a cycle that starts now; 0 for a cycle in which only inputs are served because time
            has not started yet; None if no cycle may start yet.
        """
        if self.halted or (self.paused and self._steps == 0):
            self.participants.wait(POLL)
            return None
        if not self.started:
            return self._start(players)
        stepping = self.paused
        source = self._source if self.settings.pacing == self._pacing else self._new_source()
        quanta = source.quanta_due()
        if self.paused and not stepping:
            # A request has paused time during the wait.
            return None
        if quanta and stepping:
            self._steps = max(0, self._steps - 1)
        return quanta

    def _start(self, players: int) -> int:
        if self._enough or players >= self.settings.wait_for_robots:
            self.started = True
            self._settled = self.clock() + SETTLING
            self.restart()
        else:
            self.participants.wait(POLL)
        return 0

    def _new_source(self) -> TimeSource:
        """The source of the pacing that the settings name now; if it cannot be used, the old one stays."""
        try:
            made = make_time_source(self.settings.pacing, self)
        except UserError as error:
            self.warn(f"{error}; the pacing stays '{self._pacing}'")
            self.settings = replace(self.settings, pacing=self._pacing)
        else:
            self._source.done()
            self._pacing, self._source = self.settings.pacing, made
        return self._source

    def give_up(self, late: float, now: float) -> None:
        """Warn of time not caught up since the last warning, `late` s more; not before time has settled."""
        if now < self._settled:
            return
        self._given_up += late
        if now < self._last_warning + WARNING_PERIOD:
            return
        ran = now - self._ran_from
        # A single delay in a long time says nothing of the speed, nor does a time that had a pause.
        keeps = f"keeps {self.cycle_time / self.period * (1.0 - self._given_up / ran):.2f} times real time"
        self.warn(
            f"{self._given_up:.2f} s behind real time cannot be made up: this machine "
            f"{keeps if ran < 2.0 * WARNING_PERIOD else 'is too slow'}. Choose a "
            "faster engine, fewer robots, a lower speed, or the pacing lockstep, which waits for agents"
        )
        self._given_up, self._last_warning, self._ran_from = 0.0, now, now
