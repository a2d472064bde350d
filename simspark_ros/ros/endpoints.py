"""Publishers, subscriptions and guard conditions that cost a long-lived node no more than they must.

Callbacks for QoS events would cost the executor time. rclpy's callback groups keep a reference to whatever was added to
them, so what comes and goes has a group of its own; callbacks run in one thread anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.guard_condition import GuardCondition
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
    """See `Node.create_subscription`."""
    quiet = SubscriptionEventCallbacks(use_default_callbacks=False)
    group = ReentrantCallbackGroup()
    return node.create_subscription(kind, topic, take, qos, callback_group=group, event_callbacks=quiet)


def create_guard(node: Node, callback: Callable[[], None]) -> GuardCondition:
    """See `Node.create_guard_condition`."""
    return node.create_guard_condition(callback, callback_group=ReentrantCallbackGroup())
