"""Simulated time for nodes: it goes on between the messages of `/clock`, and timers follow it.

Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007), section
5.1: the speed is the last steps' speed, the clock is extrapolated between two updates, at which timers are set anew.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from statistics import median
from threading import Lock
from typing import Any

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.time import Time
from rosgraph_msgs.msg import Clock as ClockMessage

from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.topics.publisher import LATEST
from simspark_ros.ros.topics.world.clock import TOPIC
from simspark_ros.simulation.pacing.speed import USUAL, WINDOWS, StepClock

LONGEST_LEAD = 0.002
"""Most simulated time by which timers are set earlier because calls come late, s."""

PAUSE, STEPS_OF_PAUSE = 1.0, 10
"""Seconds and usual steps between two messages; a longer time than both is a pause."""


class ToldClock(StepClock):
    """A `StepClock` set by messages, which tell the time at the end of each step.

    Messages may be late, because of the network or a busy reader, so a step ends when its message was sent, by the
    sender's clock. The quickest of the last messages tells how far the own clock is ahead of the sender's; the error
    is that message's own travel time.

    Attributes:
        told: the simulated time of the last message, s; None before the first message.
        late: lateness of the last calls of timers, by executor and machine, s.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.told: float | None = None
        self.late: deque[float] = deque(maxlen=2 * USUAL)
        self._ended = self._shown = 0.0
        self._lock = Lock()
        self._ahead: deque[float] = deque(maxlen=WINDOWS[-1])

    def take(self, time: float, sent: float | None = None) -> bool:
        """Take a simulated time, s, sent at a time of the sender's clock, s or None; return whether it jumped back."""
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

    def lead(self) -> float:
        """Simulated time by which timers are set earlier, s: the usual lateness of their calls."""
        return min(median(self.late or [0.0]), LONGEST_LEAD)

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
        """Begin a whole period now, or with the first message."""
        self._due = None if self._clock.told is None else self._clock.now() + self._period

    def left(self) -> float | None:
        """Seconds of the own clock until a timer should go off; None = not before another message has come."""
        if self._due is None:
            self.restart()
        return None if self._due is None else self._clock.until(self._due - self._lead())

    def take(self) -> bool:
        """Whether a timer should go off; if so, the next period begins."""
        lead = self._lead()
        if self._due is None or self._clock.until(self._due - lead) != 0.0:
            return False
        missed, late = divmod(max(self._clock.now() - self._due + lead, 0.0), self._period)
        if not missed:
            self._clock.late.append(late)
        self._due += self._period * (1.0 + missed)
        return True

    def _lead(self) -> float:
        return min(self._clock.lead(), self._period / 2.0)


_NANOSECONDS = 1_000_000_000
_IDLE = 3600.0
"""Period of a steady timer that waits to be set, s."""


class ClientTimer:
    """Calls a function each time that a period of simulated time has passed; made by `ClientClock.create_timer`.

    Times that were missed are left out. When time jumps back, a whole period begins.
    """

    def __init__(
        self,
        node: Node,
        schedule: Schedule,
        callback: Callable[[], object],
        group: CallbackGroup | None,
        forget: Callable[[ClientTimer], object],
    ) -> None:
        self._node, self._schedule, self._callback, self._forget = node, schedule, callback, forget
        # Executors may run callbacks in several threads: one may set the timer that another has just destroyed.
        self._lock = Lock()
        self._is_canceled = self._is_destroyed = False
        self._timer = node.create_timer(_IDLE, self._expire, group, Clock(clock_type=ClockType.STEADY_TIME))
        self.update(anew=True)

    def reset(self) -> None:
        """Begin a whole period now, also after `cancel`."""
        self._is_canceled = False
        self.update(anew=True)

    def cancel(self) -> None:
        """Call no more until `reset`."""
        self._is_canceled = True
        self.update()

    def update(self, anew: bool = False) -> None:
        """Follow simulated time as it is known now; `anew`: begin a whole period."""
        with self._lock:
            if anew:
                self._schedule.restart()
            self._set()

    def destroy(self) -> None:
        """Take the timer away, also from its clock."""
        self._forget(self)
        with self._lock:
            self._is_destroyed = True
            self._node.destroy_timer(self._timer)

    def _set(self) -> None:
        if self._is_destroyed:
            return
        left = self._schedule.left()
        if left is None or self._is_canceled:
            self._timer.cancel()
        else:
            self._timer.timer_period_ns = max(math.ceil(left * _NANOSECONDS), 1)
            self._timer.reset()

    def _expire(self) -> None:
        with self._lock:
            is_due = not (self._is_canceled or self._is_destroyed) and self._schedule.take()
            self._set()
        if is_due:
            self._callback()


class ClientClock:
    """Simulated time of a node, whether or not it has `use_sim_time`.

    Between two messages of `/clock` it goes on at the usual speed of the last ten messages, but not beyond the next
    one: it stops soon after the simulation. It needs an executor that spins the node; any will do.
    """

    def __init__(self, node: Node) -> None:
        self._node, self._clock = node, ToldClock(time.monotonic)
        self._timers: set[ClientTimer] = set()
        # Before Iron messages do not say when they were sent.
        says = hasattr(Subscription, "CallbackType")
        take: Any = self._take if says else lambda message: self._take(message, {})
        self._subscription = node.create_subscription(
            ClockMessage, TOPIC, take, LATEST, callback_group=MutuallyExclusiveCallbackGroup()
        )

    def now(self) -> Time:
        """Simulated time; 0 before the first message."""
        return Time(nanoseconds=round(self._clock.now() * _NANOSECONDS), clock_type=ClockType.ROS_TIME)

    def speed(self, steps: int = USUAL) -> float:
        """Simulated seconds per second: mean over the last steps, 50 at most; 1 before the first."""
        return self._clock.mean(steps)

    def create_timer(
        self, period: float, callback: Callable[[], object], callback_group: CallbackGroup | None = None
    ) -> ClientTimer:
        """Call a function each time that a period, s, has passed; see `Node.create_timer`.

        Raises:
            ValueError: the period is not positive.
        """
        if not period > 0.0:
            raise ValueError(f"timer: period {period} s; it must be above 0")
        schedule = Schedule(self._clock, period)
        timer = ClientTimer(self._node, schedule, callback, callback_group, self._timers.discard)
        self._timers.add(timer)
        return timer

    def destroy_timer(self, timer: ClientTimer) -> None:
        """Take a timer away."""
        timer.destroy()

    def destroy(self) -> None:
        """Take clock and timers away."""
        for timer in list(self._timers):
            timer.destroy()
        self._node.destroy_subscription(self._subscription)

    def _take(self, message: Any, info: Any) -> None:
        sent = info.get("source_timestamp", 0) / _NANOSECONDS
        has_jumped = self._clock.take(seconds_of(message.clock), sent or None)
        for timer in list(self._timers):
            timer.update(anew=has_jumped)
