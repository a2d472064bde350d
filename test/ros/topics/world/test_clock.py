"""`/clock` between two cycles."""

import time
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.world.clock import ClockPublisher
from test.rigs.ros_processes import BEST_EFFORT, Domain, Observer, Process, seconds

CYCLE = 0.02


class Sent:
    """Stands for rclpy's publisher."""

    def __init__(self) -> None:
        self.milliseconds: list[float] = []

    def publish(self, message: Any) -> None:
        self.milliseconds.append(1000 * message.clock.sec + message.clock.nanosec / 1e6)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> tuple[ClockPublisher, Sent]:
    """One that sent the time of a cycle, 3.04 s, at the wall time 100 s."""
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    publisher, sent = ClockPublisher(Cycle()), Sent()
    publisher._publisher = sent
    publisher.cycle.stamp.sec, publisher.cycle.stamp.nanosec = 3, 40_000_000
    publisher.send()
    return publisher, sent


@pytest.mark.parametrize("speed", [1.0, 0.5, 4.0])
def test_time_advances_evenly_and_waits_for_the_next_cycle(clock: tuple[ClockPublisher, Sent], speed: float) -> None:
    publisher, sent = clock
    # The next cycle is late; what is asked twice within a period is sent once.
    for step in range(120):
        publisher.advance(100.0 + 0.0005 * (step + 0.5) / speed, 500.0, speed, CYCLE)
    assert sent.milliseconds == pytest.approx([3040.0 + 2 * period for period in range(10)])
    publisher.cycle.stamp.nanosec = 60_000_000
    publisher.send()
    assert sent.milliseconds[-1] == 3060.0


def test_time_never_goes_back_and_starts_with_a_cycle(clock: tuple[ClockPublisher, Sent]) -> None:
    publisher, sent = clock
    for now in (100.013, 100.007, 99.0):
        publisher.advance(now, 100.0, 1.0, CYCLE)
    assert sent.milliseconds == [3040.0, 3050.0]
    fresh = ClockPublisher(Cycle())
    fresh.advance(200.0, 100.0, 1.0, CYCLE)
    assert fresh.published == 0


def test_the_next_time_is_due_a_whole_period_after_the_cycle(clock: tuple[ClockPublisher, Sent]) -> None:
    publisher, _ = clock
    # At half of real time a period of 2 ms takes 4 ms; whoever is late waits for less.
    assert publisher.advance(100.0053, 500.0, 0.5, CYCLE) == pytest.approx(0.0027)


def test_a_simulator_sends_a_finer_clock_on_request(domain: Domain) -> None:
    with Process(domain, "clock_rate:=250.0", "speed:=0.2"), closing(Observer(domain)) as observer:
        clock = observer.hear(Clock, "/clock", BEST_EFFORT)
        observer.until(lambda: any(0.005 < seconds(m.clock) % CYCLE < 0.015 for m in clock.messages), "a time between")
        times = [seconds(message.clock) for message in clock.messages]
    assert all(a < b for a, b in pairwise(times))
    assert [t / 0.004 for t in times] == pytest.approx([round(t / 0.004) for t in times])
