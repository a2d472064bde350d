"""Simulated time as messages tell it, and schedules that follow it. No ROS here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock

from simspark_ros.simulation.pacing.speed import WINDOWS, StepClock

PAUSE, STEPS_OF_PAUSE = 1.0, 10
"""Seconds and usual steps between two messages; a longer time than both is a pause."""


class ToldClock(StepClock):
    """A `StepClock` set by messages, which tell the time at the end of each step.

    Messages may be late, because of the network or a busy reader, so a step ends when its message was sent, by the
    sender's clock. The quickest of the last messages tells how far the own clock is ahead of the sender's; the error
    is that message's own travel time.

    Attributes:
        told: the simulated time of the last message, s; None before the first message.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.told: float | None = None
        self._ended = self._shown = 0.0
        self._lock = Lock()
        self._ahead: deque[float] = deque(maxlen=WINDOWS[-1])

    def take(self, time: float, sent: float | None = None) -> bool:
        """Take a simulated time, s, and when it was sent by the sender's clock, s; None = unknown.

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
        """Simulated time, s; see `StepClock.now`. It goes back only if a message's time does."""
        with self._lock:
            self._shown = max(self._shown, super().now())
            return self._shown


class Schedule:
    """Says when each `period`, s, of simulated time has passed; missed periods are left out."""

    def __init__(self, clock: ToldClock, period: float) -> None:
        self._clock, self._period = clock, period
        self._due: float | None = None

    def restart(self) -> None:
        """Have a whole period begin now, or with the first message."""
        self._due = None if self._clock.told is None else self._clock.now() + self._period

    def left(self) -> float | None:
        """Seconds of the own clock until the period has passed; None = not before another message has come."""
        if self._due is None:
            self.restart()
        return None if self._due is None else self._clock.until(self._due)

    def take(self) -> bool:
        """Whether the period has passed; if so, the next one begins."""
        if self._due is None or self._clock.until(self._due) != 0.0:
            return False
        late = max(self._clock.now() - self._due, 0.0)
        self._due += self._period * (1.0 + late // self._period)
        return True
