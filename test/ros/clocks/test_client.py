"""Timers of `ClientClock` under an executor."""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
import rclpy
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.clocks import ClientClock
from simspark_ros.ros.conversions import set_stamp

STEP = 0.02
PATIENCE = 20.0


class Program:
    """A node with a clock that hears of one step after another; times in s."""

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        self.executor, self.node = executor, rclpy.create_node("timed")
        executor.add_node(self.node)
        self.publisher, self.clock = self.node.create_publisher(Clock, "/clock", 1), ClientClock(self.node)
        self.steps = 0

    def now(self) -> float:
        return float(self.clock.now().nanoseconds * 1e-9)

    def hear(self) -> None:
        """A step ends; its message has been taken then, which the next one would push out of the queue."""
        self.steps += 1
        message, deadline = Clock(), time.monotonic() + PATIENCE
        set_stamp(message.clock, STEP * self.steps)
        while not self.has_heard():
            assert time.monotonic() < deadline, f"message {self.steps} did not come"
            # A message is lost until publisher and subscription know each other.
            self.publisher.publish(message)
            self.spin(0.1, self.has_heard)

    def has_heard(self) -> bool:
        return (self.clock._clock.told or 0.0) > STEP * (self.steps - 0.5)

    def spin(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        end = time.monotonic() + seconds
        while not until() and (left := end - time.monotonic()) > 0.0:
            self.executor.spin_once(min(left, STEP))


@pytest.fixture(params=[SingleThreadedExecutor, MultiThreadedExecutor])
def program(request: pytest.FixtureRequest, ros_here: None) -> Iterator[Program]:
    program = Program(request.param())
    yield program
    program.clock.destroy()
    program.executor.shutdown()
    program.node.destroy_node()


def test_a_timer_goes_off_between_messages_and_no_more_after_the_last(program: Program) -> None:
    calls: list[float] = []
    program.clock.create_timer(STEP / 4.0, lambda: calls.append(program.now()))

    def is_often() -> bool:
        """Two calls are nearer to each other than messages are."""
        return any(b - a < 0.55 * STEP for a, b in pairwise(calls))

    deadline = time.monotonic() + PATIENCE
    while not is_often() and time.monotonic() < deadline:
        program.hear()
        program.spin(2.0 * STEP)
    # A step after the last message at most: it will not be called any more.
    last = STEP * (program.steps + 1)
    program.spin(PATIENCE, lambda: program.now() > last - 1e-6)
    assert is_often() and calls == sorted(calls)
    assert max(calls) <= last + 1e-6


def test_a_timer_that_is_destroyed_does_not_follow_the_clock_any_more(program: Program) -> None:
    calls: list[float] = []
    program.hear()
    timer = program.clock.create_timer(1.5 * STEP, lambda: calls.append(program.now()))
    timer.destroy()
    # It would be due.
    program.hear()
    program.hear()
    # What other threads do that had begun before.
    timer.update()
    timer._expire()
    timer.reset()
    program.clock.destroy_timer(timer)
    assert not calls and timer not in program.clock._timers


def test_a_period_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="period 0"):
        ClientClock.create_timer(None, 0.0, print)  # type: ignore[arg-type]
