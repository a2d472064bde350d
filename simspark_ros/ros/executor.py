"""Runs the callbacks of a node in a thread of their own."""

from __future__ import annotations

import threading
import traceback

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.server.tcp.client_log import RateLimitedLog


class BackgroundExecutor:
    """A single-threaded executor in a background thread; the main thread is left to the simulation.

    (rclpy's EventsExecutor delivered nothing in several trials.) A callback that raises is logged, within a
    limit of lines, and the others go on.
    """

    def __init__(self, node: Node) -> None:
        self._executor = SingleThreadedExecutor(context=node.context)
        self._log = RateLimitedLog(node.get_logger())
        self._executor.add_node(node)
        self._ending = False
        self._thread = threading.Thread(target=self._spin, name="ros", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; a callback that is running is waited for. The node is left to its owner."""
        self._ending = True
        self._executor.wake()
        self._thread.join(5.0)
        self._executor.shutdown(0)

    def _spin(self) -> None:
        while not self._ending:
            try:
                self._executor.spin_once()
            except ExternalShutdownException:
                return
            except Exception:
                if not self._ending:
                    self._log.warning(f"a callback failed:\n{traceback.format_exc()}")
