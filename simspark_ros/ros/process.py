"""The frame of executables that run a ROS node, and the thread of its callbacks."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.configuration.c_library import end_with_parent, keep_memory_small
from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.network import start_ros
from simspark_ros.server.tcp.client_log import RateLimitedLog

BAD_INPUT = 2
"""Exit status for a wrong argument, parameter, file or port, or without a simulator."""

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

    The event is checked only after callbacks, so the node needs a timer.
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


def run_process(name: str, arguments: Sequence[str] | None, work: Callable[[], None]) -> int:
    """Do the work of an executable between start and end of ROS, which leaves signals to it.

    Returns the exit status: 0, or `BAD_INPUT` after an error for the user, which is printed and begins with the name.
    """
    end_with_parent()
    keep_memory_small()
    words = list(sys.argv if arguments is None else arguments)
    try:
        start_ros(words)
        work()
    except (UserError, ParameterException) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return BAD_INPUT
    finally:
        rclpy.try_shutdown()
    return 0
