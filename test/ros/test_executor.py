"""The thread that runs a node's callbacks."""

import threading
import time
from types import SimpleNamespace

import pytest

from simspark_ros.ros.process import BackgroundExecutor
from test.rigs.ros_nodes import RosNodes


def test_callbacks_that_fail_again_do_not_fill_the_log(room: RosNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    node, lines, calls = room.node("failing"), list[str](), 0

    def fail() -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError("again")

    node.create_timer(0.0001, fail)
    monkeypatch.setattr(node, "get_logger", lambda: SimpleNamespace(info=lines.append, warning=lines.append))
    executor = BackgroundExecutor(node)
    end = time.monotonic() + 60.0
    while calls < 200 and time.monotonic() < end:
        time.sleep(0.001)
    executor.close()
    assert calls >= 200
    assert "a callback failed" in lines[0] and "RuntimeError: again" in lines[0]
    # 40 at once and 5 a second.
    assert len(lines) < 150


def test_idle_threads_end_at_once_and_callbacks_are_polite(room: RosNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    executor = BackgroundExecutor(room.node("idle"))
    (thread,) = set(threading.enumerate()) - before
    begun = time.monotonic()
    executor.close()
    assert not thread.is_alive() and time.monotonic() < begun + 4.0
    chosen: list[float] = []
    monkeypatch.setattr("sys.setswitchinterval", chosen.append)
    BackgroundExecutor(room.node("polite")).close()
    # Python's 5 ms let a cycle last longer than its 20 ms.
    assert chosen and chosen[-1] <= 0.001
