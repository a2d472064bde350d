"""`/clock`, once a cycle or finer."""

from __future__ import annotations

import math
import threading
import time

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATEST, TopicPublisher
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.pacing.speed import SpeedEstimator

SLOWEST = 0.01
"""Least speed of the simulation that the finer clock's wake-ups are planned for."""

TOPIC = "/clock"

_NANOSECONDS = 1_000_000_000


class ClockPublisher(TopicPublisher):
    """`/clock` (rosgraph_msgs/Clock, best effort): simulated time, once a cycle, and between cycles by `advance`.

    With the pacing `external` another program publishes it.
    """

    qos = LATEST

    def __init__(self, cycle: Cycle) -> None:
        super().__init__(TOPIC, Clock(), cycle)
        self.message.clock = cycle.stamp
        # Two threads send: a later time must not be overtaken by an earlier one.
        self._lock = threading.Lock()
        self._between = Clock()
        self._sent_at = math.inf
        self._cycle = self._shown = 0
        self._muted = False

    def fill(self) -> bool:
        return True

    def send(self) -> None:
        """Send the time of the cycle, from which `advance` goes on."""
        with self._lock:
            if self._muted:
                return
            super().send()
            stamp = self.cycle.stamp
            self._shown = self._cycle = stamp.sec * _NANOSECONDS + stamp.nanosec
            self._sent_at = time.monotonic()

    def open(self, node: Node) -> None:
        """Create the publisher, after `mute` again."""
        super().open(node)
        with self._lock:
            self._muted = False

    def mute(self, node: Node) -> None:
        """Destroy the publisher until `open` is called."""
        with self._lock:
            self._muted, self.active = True, False
        self.close(node)

    def refresh(self) -> None:
        """See `TopicPublisher.refresh`."""
        if not self._muted:
            super().refresh()

    def advance(self, now: float, rate: float, speed: float, cycle_time: float) -> float:
        """Send the time that has come since the last cycle, if it is a new one; safe from any thread.

        Times are whole periods of `rate` (1/s, simulated) after the last cycle's time, and earlier than the next
        cycle's, whose data do not exist yet. `now` is wall time, s, as of `time.monotonic`, `speed` simulated seconds
        per second, `cycle_time` s. Returns the seconds until the next time is due.
        """
        with self._lock:
            passed = (now - self._sent_at) * speed * rate if now > self._sent_at else 0.0
            left = (1.0 - passed % 1.0) / (rate * speed)
            if self._muted:
                return left
            last = math.ceil(cycle_time * rate - 1e-6) - 1
            periods = min(math.floor(passed), last)
            if periods < 1 or (shown := self._cycle + round(periods * _NANOSECONDS / rate)) <= self._shown:
                return left
            self._shown = shown
            self._between.clock.sec, self._between.clock.nanosec = divmod(shown, _NANOSECONDS)
            self._publisher.publish(self._between)
            self.published += 1
            return left


class FineClock(ControlNode):
    """Has `/clock` advance between cycles while time runs, from a thread of its own; `rate` in 1/s of simulated time.

    It advances with the ordered speed, or with the estimated one where the simulation is slower or no speed is ordered.
    Where cycles follow each other at once, the thread gets the interpreter too seldom to send all messages.
    """

    def __init__(self, clock: ClockPublisher, rate: float, speed: SpeedEstimator) -> None:
        self._clock, self._rate, self._speed = clock, rate, speed
        self._ended = threading.Event()

    def init(self, simulation: Simulation) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, args=(simulation,), name="clock", daemon=True)
        self._thread.start()

    def done(self, simulation: Simulation) -> None:
        """End the thread: nothing is sent any more."""
        self._ended.set()
        self._thread.join()

    def _run(self, simulation: Simulation) -> None:
        scheduler, cycle_time, left = simulation.scheduler, simulation.world.engine.cycle_time, 0.0
        while not self._ended.wait(left):
            speed = self._speed.typical()
            if scheduler.settings.pacing == "realtime" or scheduler.speed:
                speed = min(speed, scheduler.speed or 1.0)
            left = longest = 1.0 / (self._rate * max(speed, SLOWEST))
            if self._clock.active and scheduler.started and not scheduler.paused:
                left = min(self._clock.advance(time.monotonic(), self._rate, speed, cycle_time), longest)
