"""Timers of `ClientClock` under an executor."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
import rclpy
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.clocks import ClientClock
from simspark_ros.ros.conversions import set_stamp


@pytest.mark.usefixtures("ros_here")
@pytest.mark.parametrize("kind", [SingleThreadedExecutor, MultiThreadedExecutor])
def test_a_timer_goes_off_between_messages_and_no_more_after_the_last(kind: type[SingleThreadedExecutor]) -> None:
    node, executor = rclpy.create_node("timed"), kind()
    executor.add_node(node)
    publisher, clock = node.create_publisher(Clock, "/clock", 1), ClientClock(node)
    # Two calls that are nearer to each other than messages are.
    calls: list[float] = []
    timer = clock.create_timer(0.005, lambda: calls.append(clock.now().nanoseconds * 1e-9))
    message, told, deadline = Clock(), 0, time.monotonic() + 20.0

    def is_often() -> bool:
        return any(b - a < 0.011 for a, b in pairwise(calls))

    while not is_often() and time.monotonic() < deadline:
        told += 1
        set_stamp(message.clock, 0.02 * told)
        publisher.publish(message)
        due = time.monotonic() + 0.04
        while (left := due - time.monotonic()) > 0.0:
            executor.spin_once(left)
    # A step after the last message at most: it will not be called any more.
    last, deadline = 0.02 * (told + 1), time.monotonic() + 20.0
    while clock.now().nanoseconds * 1e-9 < last - 1e-6 and time.monotonic() < deadline:
        executor.spin_once(0.02)
    assert is_often() and calls == sorted(calls)
    assert max(calls) <= last + 1e-6
    clock.destroy_timer(timer)
    clock.destroy()
    executor.shutdown()
    node.destroy_node()


def test_a_period_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="period 0"):
        ClientClock.create_timer(None, 0.0, print)  # type: ignore[arg-type]
