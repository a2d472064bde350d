"""Publishers, subscriptions and guard conditions that cost a long-lived node no more than they must.

Callbacks for QoS events would cost the executor time. rclpy's callback groups keep a reference to whatever was added to
them, so what comes and goes has a group of its own; callbacks run in one thread anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from threading import Lock
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import ParameterException
from rclpy.guard_condition import GuardCondition
from rclpy.node import Node
from rclpy.qos import QoSPolicyKind, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:
    # Before Iron.
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks


_OVERRIDES = "qos_overrides."
_POLICIES = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY, QoSPolicyKind.DURABILITY)


def create_publisher(node: Node, kind: type[Any], topic: str, qos: QoSProfile) -> Any:
    """See `Node.create_publisher`; parameters `qos_overrides.<topic>.publisher.<policy>` replace policies.

    They are declared only for topics that have one: parameters of all topics would be hundreds. One that cannot be used
    is reported, and the topic keeps its own policies.
    """
    quiet = PublisherEventCallbacks(use_default_callbacks=False)
    make = partial(node.create_publisher, kind, topic, event_callbacks=quiet)
    given = getattr(node, "_parameter_overrides", {})
    if any(name.startswith(_OVERRIDES) for name in given):
        start = f"{_OVERRIDES}{node.resolve_topic_name(topic)}.publisher."
        if any(name.startswith(start) for name in given):
            try:
                # rclpy changes the profile that it is given.
                return make(copy(qos), qos_overriding_options=QoSOverridingOptions(_POLICIES))
            except (ParameterException, RuntimeError) as error:
                node.get_logger().warning(f"parameters '{start}...' are not used: {error}")
    return make(qos)


def create_subscription(
    node: Node, kind: type[Any], topic: str, take: Callable[[Any], None], qos: QoSProfile, raw: bool = False
) -> Any:
    """See `Node.create_subscription`."""
    quiet = SubscriptionEventCallbacks(use_default_callbacks=False)
    group = ReentrantCallbackGroup()
    return node.create_subscription(kind, topic, take, qos, callback_group=group, event_callbacks=quiet, raw=raw)


def create_guard(node: Node, callback: Callable[[], None]) -> GuardCondition:
    """See `Node.create_guard_condition`."""
    return node.create_guard_condition(callback, callback_group=ReentrantCallbackGroup())


class Wake:
    """Has the executor call a function, from any thread, until it is closed; then nothing happens."""

    def __init__(self, node: Node, callback: Callable[[], None]) -> None:
        self._node, self._guard, self._lock = node, create_guard(node, callback), Lock()
        self._is_closed = False

    def trigger(self) -> None:
        """Have it called."""
        # A guard that is destroyed between a look and the call would raise, in the thread of the simulation.
        with self._lock:
            if not self._is_closed:
                self._guard.trigger()

    def close(self) -> None:
        """Take it away."""
        with self._lock:
            self._is_closed = True
        self._node.destroy_guard_condition(self._guard)
