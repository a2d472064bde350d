"""Clocks of programs and of the simulator compared, by messages there and back, as NTP exchanges them.

A program publishes sensor_msgs/TimeReference on `clock_request`: `header.stamp` is its time of sending,
`header.frame_id` its own name, `source` the clock that it asks for. The simulator answers at once on `clock_answer`
with the same header and that clock in `time_ref`. Kleiner, Buchheim, "A Plugin-Based Architecture for Simulation in the
F2000 League" (2003), section 2.2.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from rclpy.node import Node
from sensor_msgs.msg import TimeReference

from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.conversions import seconds_of, set_stamp
from simspark_ros.ros.endpoints import create_publisher, create_subscription
from simspark_ros.ros.topics.publisher import RELIABLE

REQUEST, ANSWER = "clock_request", "clock_answer"
LONGEST_NAME = 256
"""Most characters in the name of a program that gets answers."""

AGAIN = 0.1
"""Time without an answer after which a request is sent again, s: the first requests reach nobody."""

ClockName = Literal["simulated", "wall"]


class ClockAnswers:
    """Answers requests for the time of the simulator's clocks, in the executor's thread.

    `simulated` is simulated time, extrapolated since the last cycle; `wall` is its machine's system clock.
    """

    def __init__(self, node: Node, simulated: Callable[[], float]) -> None:
        self._clocks: dict[str, Callable[[], float]] = {"simulated": simulated, "wall": time.time}
        self._publisher = create_publisher(node, TimeReference, ANSWER, RELIABLE)
        create_subscription(node, TimeReference, REQUEST, self._answer, RELIABLE)

    def _answer(self, message: TimeReference) -> None:
        clock = self._clocks.get(message.source)
        if clock is not None and len(message.header.frame_id) <= LONGEST_NAME:
            set_stamp(message.time_ref, clock())
            self._publisher.publish(message)


@dataclass(frozen=True)
class ClockComparison:
    """The difference between a clock of the simulator and a program's own clock.

    Attributes:
        offset: seconds to add to times of the simulator to get times of the own clock.
        round_trip: duration of the quickest exchange, s; the offset is wrong by half of it at most.
    """

    offset: float
    round_trip: float

    def here(self, stamp: float) -> float:
        """The own clock's time of a stamp of the simulator, s."""
        return stamp + self.offset


class ClockExchange:
    """A program's side of the exchange; `spin` serves the program's node for at most the given time, s.

    `own` is the program's clock, s.
    """

    def __init__(self, node: Node, spin: Callable[[float], object], own: Callable[[], float] = time.time) -> None:
        self._node, self._spin, self._own = node, spin, own
        self._name = f"{node.get_fully_qualified_name()} {id(self):x}"[-LONGEST_NAME:]
        self._publisher = node.create_publisher(TimeReference, REQUEST, RELIABLE)
        self._subscription = node.create_subscription(TimeReference, ANSWER, self._take, RELIABLE)
        self._sent = TimeReference()
        self._answered: ClockComparison | None = None

    def compare(self, clock: ClockName = "simulated", samples: int = 8, patience: float = 5.0) -> ClockComparison:
        """Exchange times until there are `samples` answers, and return the comparison of the quickest exchange.

        Raises:
            UserError: not one answer came within `patience`, s.
        """
        found: list[ClockComparison] = []
        end = time.monotonic() + patience
        while len(found) < samples and time.monotonic() < end:
            found += self._exchange(clock)
        if not found:
            topics = f"'{self._subscription.topic_name}' to '{self._publisher.topic_name}'"
            raise UserError(
                f"no time came within {patience:g} s: no program answers on {topics}; is a simulator running?"
            )
        return min(found, key=lambda one: one.round_trip)

    def close(self) -> None:
        """End the exchange."""
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_publisher(self._publisher)

    def _exchange(self, clock: ClockName) -> list[ClockComparison]:
        self._answered, end = None, time.monotonic() + AGAIN
        self._sent = TimeReference(source=clock)
        self._sent.header.frame_id = self._name
        set_stamp(self._sent.header.stamp, self._own())
        self._publisher.publish(self._sent)
        while self._answered is None and (left := end - time.monotonic()) > 0.0:
            self._spin(left)
        return [] if self._answered is None else [self._answered]

    def _take(self, message: Any) -> None:
        now, sent = self._own(), seconds_of(self._sent.header.stamp)
        if message.header == self._sent.header and message.source == self._sent.source:
            self._answered = ClockComparison((sent + now) / 2.0 - seconds_of(message.time_ref), now - sent)
