"""How fast simulated time goes, and when it will have come to a point.

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
section 5.1: the speed of a single step varies so much that means over the last steps are used. Here the simulated time
of all of them is divided by their time of the clock: the mean of the steps' speeds is too high where some are much
longer than others, by half on a loaded machine (`benchmarks/speed_prediction.py`).

A single cycle is more often as long as most of the last ones than as their mean, which those make long that the machine
has interrupted: within a cycle time goes on by the median.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice
from statistics import median

from simspark_ros.simulation.loop import ControlNode, Simulation

WINDOWS = (5, 10, 20, 50)
"""Cycles of which means are told."""

USUAL = 10
"""Cycles of which the mean is the estimate."""


class SpeedEstimator(ControlNode):
    """Measures simulated seconds per second of a clock, from cycle to cycle; `clock`: as `time.monotonic`.

    What passes while the simulation is paused does not count.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._before: float | None = None
        # Simulated time at the end of the last cycle, time of the clock then, if time runs, and the cycle's length.
        self._last: tuple[float, float | None, float] = (0.0, None, 0.0)
        # Simulated and clock's time of cycles, the latest one first.
        self._cycles: deque[tuple[float, float]] = deque(maxlen=WINDOWS[-1])

    def end_cycle(self, simulation: Simulation) -> None:
        """Measure the cycle that ends."""
        now = self._clock()
        if self._before is not None and now > self._before:
            self._cycles.appendleft((simulation.world.elapsed, now - self._before))
        self._before = None if simulation.scheduler.paused else now
        self._last = simulation.time, self._before, simulation.world.elapsed

    def now(self) -> float:
        """Simulated time, s, extrapolated since the last cycle, but not beyond the next; safe from any thread."""
        simulated, at, length = self._last
        return simulated if at is None else simulated + min((self._clock() - at) * self.typical(), length)

    def mean(self, cycles: int = USUAL) -> float:
        """Mean speed of the last cycles, of those that there are; 1 before the first."""
        simulated, passed = map(sum, zip(*islice(self._cycles, cycles), strict=True)) if self._cycles else (1.0, 1.0)
        return simulated / passed

    def typical(self, cycles: int = USUAL) -> float:
        """Median speed of the last cycles, of those that there are: by which to extrapolate within one."""
        latest = list(islice(self._cycles, cycles))
        return median(simulated / passed for simulated, passed in latest) if latest else 1.0
