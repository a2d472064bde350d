"""The speed of simulated time, and a forecast of the moment at which it reaches a point.

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
section 5.1: the speed of a single step varies so much that means over the last steps are used. Here the mean is their
simulated time divided by their time of the clock: the mean of the steps' speeds would be too high where some steps are
much longer than others, by half on a loaded machine.

Within a step, time goes on by the median: a step usually takes as long as most of the last ones, while a few steps that
the machine has interrupted make the mean long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from statistics import median
from typing import NamedTuple

from simspark_ros.simulation.loop import ControlNode, Simulation

WINDOWS = (5, 10, 20, 50)
"""Numbers of steps over which means are reported."""

USUAL = 10
"""Number of steps over which the mean is the estimate."""


class _Latest(NamedTuple):
    """The step that ended last: simulated time then, s; time of the clock, s, if time runs; its length, s."""

    simulated: float = 0.0
    at: float | None = None
    length: float = 0.0


class StepClock:
    """Simulated time at any moment, extrapolated from its steps; `clock` is like `time.monotonic`.

    All but `step` is safe from any thread.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._latest = _Latest()
        # Simulated time and clock's time of each step, s, the latest step first.
        self._steps: deque[tuple[float, float]] = deque(maxlen=WINDOWS[-1])

    def step(self, simulated: float, length: float, runs: bool = True, at: float | None = None) -> None:
        """Take the end of a step of some length, s, at a simulated time, s, and a time of the clock, s; None = now.

        Time that passes after an end at which time does not run (`runs`), or in a step without length, does not count.
        """
        now = self._clock() if at is None else at
        before = self._latest.at
        if before is not None and now > before and length > 0.0:
            self._steps.appendleft((length, now - before))
        self._latest = _Latest(simulated, now if runs else None, length)

    def now(self) -> float:
        """Simulated time, s, extrapolated since the last step, but not beyond the next."""
        last = self._latest
        if last.at is None:
            return last.simulated
        return last.simulated + min((self._clock() - last.at) * self.typical(), self._next_length())

    def until(self, time: float) -> float | None:
        """Seconds of the clock until a simulated time, s; None = it does not come before another step ends."""
        last = self._latest
        if time <= last.simulated:
            return 0.0
        if last.at is None or time > last.simulated + self._next_length():
            return None
        return max(last.at + (time - last.simulated) / self.typical() - self._clock(), 0.0)

    def mean(self, steps: int = USUAL) -> float:
        """Mean speed of the last steps, or of as many as there are; 1 before the first."""
        simulated, passed = map(sum, zip(*islice(self._steps, steps), strict=True)) if self._steps else (1.0, 1.0)
        return simulated / passed

    def typical(self, steps: int = USUAL) -> float:
        """Median speed of the last steps, or of as many as there are, to extrapolate within a step."""
        latest = list(islice(self._steps, steps))
        return median(simulated / passed for simulated, passed in latest) if latest else 1.0

    def _next_length(self) -> float:
        """Length of the step that runs, s: most of the last ones' length."""
        return median([length for length, _ in islice(self._steps, USUAL)] or [max(self._latest.length, 0.0)])


class SpeedEstimator(StepClock, ControlNode):
    """Measures simulated seconds per second of a clock, from cycle to cycle; `clock` is like `time.monotonic`.

    Time that passes while the simulation is paused does not count.
    """

    def end_cycle(self, simulation: Simulation) -> None:
        """Measure the cycle that ends."""
        self.step(simulation.time, simulation.world.elapsed, not simulation.scheduler.paused)
