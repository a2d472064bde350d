"""Publishers, subscriptions, services and guard conditions that cost a long-lived node little.

Callbacks for QoS events would cost the executor time. rclpy's callback groups keep a reference to whatever was added to
them, so entities that come and go have a group of their own; callbacks run in one thread anyway.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial
from threading import Lock, Semaphore, Thread
from typing import Any

from rclpy.callback_groups import CallbackGroup, ReentrantCallbackGroup
from rclpy.exceptions import ParameterException
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation
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


_LATER, _TIMES = 0.2, 25
"""Seconds after which an answer is sent again, and how often."""
_AT_ONCE = Semaphore(8)
"""Most answers that are sent again at a time: strangers may ask and never listen."""
_WARNINGS = Lock()


def create_service(
    node: Node, kind: type[Any], name: str, serve: Callable[[Any, Any], Any], group: CallbackGroup | None = None
) -> None:
    """See `Node.create_service`; an answer is sent again as long as DDS has not found the client's reader.

    A client that has just started asks as soon as it has found the service. Fast DDS gives its own discovery of the
    client a tenth of a second more, too little on a busy machine; then rclpy drops the answer, and the client waits.
    """
    service = node.create_service(kind, name, serve, callback_group=group)
    send = service.send_response

    def send_surely(response: Any, header: Any) -> None:
        if not _is_sent(send, response, header) and _AT_ONCE.acquire(blocking=False):
            Thread(target=_send_again, args=(send, response, header), daemon=True).start()

    service.send_response = send_surely


def _is_sent(send: Callable[[Any, Any], None], response: Any, header: Any) -> bool:
    """Send an answer; whether the client has it or has left. rclpy says by a warning that it has been dropped."""
    with _WARNINGS, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RuntimeWarning)
        send(response, header)
    return not any("failed to send response" in str(warning.message) for warning in told)


def _send_again(send: Callable[[Any, Any], None], response: Any, header: Any) -> None:
    # The service may be destroyed meanwhile.
    with suppress(rclpy_implementation.InvalidHandle, rclpy_implementation.RCLError):
        for _ in range(_TIMES):
            time.sleep(_LATER)
            if _is_sent(send, response, header):
                break
    _AT_ONCE.release()


def create_guard(node: Node, callback: Callable[[], None]) -> GuardCondition:
    """See `Node.create_guard_condition`."""
    return node.create_guard_condition(callback, callback_group=ReentrantCallbackGroup())


class Wake:
    """Has the executor call a function, from any thread, until it is closed; then nothing happens."""

    def __init__(self, node: Node, callback: Callable[[], None]) -> None:
        self._node, self._guard, self._lock = node, create_guard(node, callback), Lock()
        self._is_closed = False

    def trigger(self) -> None:
        """Ask the executor to call the function."""
        # A guard that is destroyed between a look and the call would raise, in the thread of the simulation.
        with self._lock:
            if not self._is_closed:
                self._guard.trigger()

    def close(self) -> None:
        """Take it away."""
        with self._lock:
            self._is_closed = True
        self._node.destroy_guard_condition(self._guard)
