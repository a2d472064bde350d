"""Runs the callbacks of a node in a thread of their own."""

from __future__ import annotations

import sys
import threading
import traceback

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.server.tcp.client_log import RateLimitedLog

_SWITCH = 0.001
"""Longest time for which a callback keeps another thread from the interpreter, s. Beside a busy callback, a thread that
gives the interpreter away 44 times for 20 us needs 160 to 400 ms with Python's 5 ms, and 13 to 19 ms with this."""

_PATIENCE = 60.0
"""Longest wait for the end of the thread, s. A node that is destroyed beneath a callback ends the process with SIGSEGV,
and on a busy machine the topics of a few robots take several seconds."""


class BackgroundExecutor:
    """A single-threaded executor in a background thread; the main thread is left to the simulation.

    (rclpy's EventsExecutor delivered nothing in several trials.) A callback that raises is logged, within a
    limit of lines, and the others go on.
    """

    def __init__(self, node: Node) -> None:
        sys.setswitchinterval(min(_SWITCH, sys.getswitchinterval()))
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._ending = threading.Event()
        arguments = (self._executor, self._ending, RateLimitedLog(node.get_logger()))
        self._thread = threading.Thread(target=_spin, args=arguments, name="ros", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; a callback that is running is waited for. The node is left to its owner."""
        self._ending.set()
        # Waking it is not enough: an executor waits on until there is something to do.
        self._executor.create_task(lambda: None)
        self._thread.join(_PATIENCE)
        self._executor.shutdown(0)


def spin_until(stop: threading.Event, node: Node) -> None:
    """Run a node's callbacks, as `BackgroundExecutor` does, in this thread until an event is set.

    The event is looked at after callbacks only: the node needs a timer.
    """
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    _spin(executor, stop, RateLimitedLog(node.get_logger()))
    executor.shutdown(0)


def _spin(executor: SingleThreadedExecutor, ending: threading.Event, log: RateLimitedLog) -> None:
    while not ending.is_set():
        try:
            executor.spin_once()
        except ExternalShutdownException:
            return
        except Exception:
            if not ending.is_set():
                log.warning(f"a callback failed:\n{traceback.format_exc()}")
