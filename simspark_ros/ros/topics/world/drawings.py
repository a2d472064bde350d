"""Topics below `drawings/` that programs publish for those who watch: particles, maps, features."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.topics.publisher import MissingMessagesError, TopicError, message_type
from simspark_ros.ros.topics.world.drawn_messages import READERS, Reader
from simspark_ros.simulation.drawings import LONGEST_NAME, MOST_DRAWINGS, Drawings

FOLDER = "/drawings/"
LOOK, LEAST = 1.0, 0.1
"""Seconds between two looks for topics, and between two messages of a topic that are drawn."""


class DrawingTopics:
    """Subscribes to the topics while somebody watches; in the executor's thread.

    The page draws geometry_msgs/PoseArray (particles), nav_msgs/OccupancyGrid (maps), sensor_msgs/PointCloud2 and,
    where its package is installed, visualization_msgs/MarkerArray (features), all in the frame `map`.
    """

    def __init__(self, node: Node, drawings: Drawings) -> None:
        self._node, self._drawings = node, drawings
        self._subscriptions: dict[str, Any] = {}
        self._due = 0.0

    def refresh(self) -> None:
        """Look for topics that came and went."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + LOOK
        found = self._found() if self._drawings.is_wanted else {}
        for topic in self._subscriptions.keys() - found.keys():
            if (subscription := self._subscriptions.pop(topic)) is not None:
                self._node.destroy_subscription(subscription)
            if self._drawings.is_wanted:
                self._drawings.remove(_name(topic))
        for topic, kind in found.items():
            if topic not in self._subscriptions and len(self._subscriptions) < MOST_DRAWINGS:
                self._subscribe(topic, kind)

    def _found(self) -> dict[str, str]:
        """Types of the topics that are published, by name."""
        return {
            topic: kinds[0]
            for topic, kinds in self._node.get_topic_names_and_types()
            if FOLDER in topic and len(topic) <= LONGEST_NAME and kinds[0] in READERS and self._offers(topic)
        }

    def _offers(self, topic: str) -> list[Any]:
        found: list[Any] = self._node.get_publishers_info_by_topic(topic)
        return found

    def _subscribe(self, topic: str, kind: str) -> None:
        try:
            type_ = message_type(kind)
        except (MissingMessagesError, TopicError) as error:
            self._node.get_logger().warning(f"'{topic}' is not drawn: {error}")
            self._subscriptions[topic] = None
            return
        kept = all(one.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in self._offers(topic))
        # Maps are published once, also for later subscribers.
        qos = (
            QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            if kept
            else QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        )
        drawn = _Drawn(topic, READERS[kind](), self._drawings, self._node.get_logger().warning)
        self._subscriptions[topic] = create_subscription(self._node, type_, topic, drawn.take, qos)


class _Drawn:
    """A topic that is drawn; messages that cannot be drawn are reported once."""

    def __init__(self, topic: str, reader: Reader, drawings: Drawings, warn: Callable[[str], object]) -> None:
        self._topic, self._reader, self._drawings = topic, reader, drawings
        self._warn: Callable[[str], object] | None = warn
        self._due = 0.0

    def take(self, message: Any) -> None:
        """Draw a message."""
        now = time.monotonic()
        if now < self._due and not self._reader.adds_up:
            return
        self._due = now + LEAST
        try:
            self._drawings.put(_name(self._topic), self._reader.read(message))
        except ValueError as error:
            if self._warn is not None:
                self._warn(f"'{self._topic}' is not drawn: {error}")
                self._warn = None


def _name(topic: str) -> str:
    return topic.lstrip("/")
