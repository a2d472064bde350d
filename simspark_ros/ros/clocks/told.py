"""Simulated time as messages tell it, and when something is due by it. No ROS here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock

from simspark_ros.simulation.pacing.speed import WINDOWS, StepClock

PAUSE, STEPS_OF_PAUSE = 1.0, 10
"""What passes between two messages is a pause if it is longer than so many s, and than so many usual steps."""


class ToldClock(StepClock):
    """A `StepClock` that messages tell the time, at the end of each step.

    They may be late, by the network or because their reader was busy: a step ends when its message was sent, by the
    sender's clock. How much the own clock is ahead of that one the quickest of the last messages tells, but for the
    time that it took itself.

    Attributes:
        told: the last simulated time, s; None before the first.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.told: float | None = None
        self._ended = self._shown = 0.0
        self._lock = Lock()
        self._ahead: deque[float] = deque(maxlen=WINDOWS[-1])

    def take(self, time: float, sent: float | None = None) -> bool:
        """Take a simulated time, s, that was sent at a time of the sender's clock, s; None = it does not say when.

        Returns whether time has jumped back.
        """
        end = self._clock()
        if sent is not None:
            self._ahead.append(end - sent)
            end = sent + min(self._ahead)
        is_first, length = self.told is None, time - (self.told or 0.0)
        is_paused = end - self._ended > max(PAUSE, STEPS_OF_PAUSE * self._latest.length / self.typical())
        has_jumped = not is_first and length < 0.0
        with self._lock:
            self.told, self._ended = time, end
            # A clock that repeats itself stands still.
            self.step(time, 0.0 if is_first or is_paused else length, is_first or length != 0.0, end)
            self._shown = time if has_jumped else max(self._shown, time)
        return has_jumped

    def now(self) -> float:
        """Simulated time, s; see `StepClock.now`. It goes back only where a message does."""
        with self._lock:
            self._shown = max(self._shown, super().now())
            return self._shown


class Schedule:
    """What is due each time that a period, s, of simulated time has passed; what was missed is left out."""

    def __init__(self, clock: ToldClock, period: float) -> None:
        self._clock, self._period = clock, period
        self._due: float | None = None

    def restart(self) -> None:
        """Have a whole period begin now, or with the first message."""
        self._due = None if self._clock.told is None else self._clock.now() + self._period

    def left(self) -> float | None:
        """Seconds of the own clock until it is due; None = not before another message has come."""
        if self._due is None:
            self.restart()
        return None if self._due is None else self._clock.until(self._due)

    def take(self) -> bool:
        """Whether it is due; the next period has begun then."""
        if self._due is None or self._clock.until(self._due) != 0.0:
            return False
        late = max(self._clock.now() - self._due, 0.0)
        self._due += self._period * (1.0 + late // self._period)
        return True
