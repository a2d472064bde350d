"""Keeps errors on one topic out of the cycle."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from simspark_ros.configuration.errors import in_a_line


class Fuse:
    """Runs the function that publishes on a topic; the first exception is logged in a line, and the topic is off.

    Messages are made from robot files and plug-ins, whose mistakes must not end a match.

    Attributes:
        blown: whether the topic is off.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node, self._topic = node, topic
        self.blown = False

    def run(self, work: Callable[[], object]) -> None:
        """Do the work, unless the topic is off."""
        if self.blown:
            return
        try:
            work()
        # Nothing is known about the kind of mistake.
        except Exception as error:
            self.blown = True
            reason = in_a_line(f"{type(error).__name__}: {error}")
            self._node.get_logger().error(f"topic '{self._topic}' is off from now on: {reason}")
