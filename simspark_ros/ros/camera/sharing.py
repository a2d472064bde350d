"""Several camera processes share the cameras, and take over the cameras of a lost process."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection
from zlib import crc32

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from simspark_ros.ros.endpoints import create_publisher, create_subscription

TOPIC = "camera_processes"
PERIOD = 0.5
"""Seconds of wall time between two signs of life."""
LOST_AFTER = 2.5
"""Seconds without a sign of life after which a process counts as lost; a picture may take as long to draw."""

_QOS = QoSProfile(depth=100)
_GONE = "-"
"""First character of the last message of a process that ends."""


class CameraShare:
    """Says which cameras this process draws, of all that the processes in its namespace can draw.

    Every process sends its identity on the topic `camera_processes` (std_msgs/String). A camera belongs to the process
    for which a hash of both names is largest (rendezvous hashing): all come to the same result, and when a process
    comes or goes only its own cameras change hands. `now` returns wall time, s.
    """

    def __init__(self, node: Node, now: Callable[[], float] = time.monotonic) -> None:
        self._node, self._now = node, now
        self.identity = secrets.token_hex(8)
        self._seen: dict[str, float] = {}
        self._publisher = create_publisher(node, String, TOPIC, _QOS)
        self._subscription = create_subscription(node, String, TOPIC, lambda message: self.hear(message.data), _QOS)
        self._timer = node.create_timer(PERIOD, self._live, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def owns(self, camera: str) -> bool:
        """Whether this process draws a camera."""
        return owner(camera, [self.identity, *self._seen]) == self.identity

    def hear(self, text: str) -> None:
        """Take the message of a process, be it this one."""
        if text.startswith(_GONE):
            self._seen.pop(text.removeprefix(_GONE), None)
        elif text != self.identity:
            self._seen[text] = self._now()

    def forget_lost(self) -> None:
        """Leave out processes that have been silent for too long."""
        oldest = self._now() - LOST_AFTER
        self._seen = {identity: seen for identity, seen in self._seen.items() if seen >= oldest}

    def close(self) -> None:
        """Leave the cameras to the others."""
        self._publisher.publish(String(data=f"{_GONE}{self.identity}"))

    def _live(self) -> None:
        self._publisher.publish(String(data=self.identity))
        self.forget_lost()


def owner(camera: str, identities: Collection[str]) -> str:
    """The process that a camera belongs to."""
    return max(identities, key=lambda identity: (crc32(f"{identity}/{camera}".encode()), identity))
