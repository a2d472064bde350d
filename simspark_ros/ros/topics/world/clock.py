"""`/clock`, once a cycle or finer, of this program or of another one that is followed; the simulation's speed."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.topics.publisher import LATEST, TopicPublisher
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.pacing.scheduler import Scheduler
from simspark_ros.simulation.pacing.speed import WINDOWS, SpeedEstimator

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
        cycle's, whose data do not exist yet. `now` is wall time, s, by `time.monotonic`, `speed` simulated seconds
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
    """Makes `/clock` advance between cycles while time runs, from a thread of its own; `rate` in 1/s of simulated time.

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


class OuterClock:
    """Listens to a followed `/clock`, while the simulator's own is silent; belongs to the executor's thread."""

    def __init__(self, node: Node, scheduler: Scheduler, own: ClockPublisher) -> None:
        self._node, self._scheduler, self._own = node, scheduler, own
        self._subscription: Any = None

    def update(self, pacing: str) -> None:
        """Listen, or publish again, as a pacing wants it."""
        if (pacing == EXTERNAL) == (self._subscription is not None):
            return
        if pacing == EXTERNAL:
            self._own.mute(self._node)
            self._scheduler.told = None
            self._subscription = create_subscription(self._node, Clock, TOPIC, self._take, LATEST)
        else:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._own.open(self._node)

    def _take(self, message: Clock) -> None:
        self._scheduler.told = seconds_of(message.clock)


class SpeedPublisher(TopicPublisher):
    """`real_time_factor` (std_msgs/Float64MultiArray, best effort): simulated seconds per second, as means.

    The means are over the last 5, 10, 20 and 50 cycles; their differences tell how steady the speed is.
    """

    qos = LATEST

    def __init__(self, cycle: Cycle, speed: SpeedEstimator) -> None:
        message = Float64MultiArray()
        label = "mean over cycles: " + ", ".join(map(str, WINDOWS))
        message.layout.dim = [MultiArrayDimension(label=label, size=len(WINDOWS), stride=len(WINDOWS))]
        super().__init__("real_time_factor", message, cycle)
        self._speed = speed

    def fill(self) -> bool:
        """Take the means."""
        self.message.data = [self._speed.mean(cycles) for cycles in WINDOWS]
        return True
