"""Publishers and subscriptions without callbacks for QoS events, each of which would cost the executor time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:
    # Before Iron.
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks


def create_publisher(node: Node, kind: type[Any], topic: str, qos: QoSProfile) -> Any:
    """See `Node.create_publisher`."""
    quiet = PublisherEventCallbacks(use_default_callbacks=False)
    return node.create_publisher(kind, topic, qos, event_callbacks=quiet)


def create_subscription(node: Node, kind: type[Any], topic: str, take: Callable[[Any], None], qos: QoSProfile) -> Any:
    """A subscription of a node."""
    quiet = SubscriptionEventCallbacks(use_default_callbacks=False)
    return node.create_subscription(kind, topic, take, qos, event_callbacks=quiet)
