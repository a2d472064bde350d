"""A ROS node with next to nothing in it, in its own thread, for messages on which every cycle waits.

An executor looks at all entities of its nodes for each message it receives: the services and topics of the simulator
would make each exchange with a bridge several times as slow, and a service that waits would stop it. Even with this
node alone an exchange takes 1.1 ms with an executor, and 0.7 ms with what `rclpy.wait_for_message` does
(`benchmarks/links.py`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

QOS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""Of both topics: an answer that got lost would stop lock-step; ten cycles of 20 ms outlast any ordinary delay."""

PERCEPTS_TOPIC = "bridge/percepts"
COMMANDS_TOPIC = "bridge/commands"

_POLL = 200_000_000
"""Longest wait for a message, ns, so that the end of the context is noticed."""


class LeanNode:
    """One publisher and one subscription with a thread of their own.

    Attributes:
        publisher: of the outgoing messages.
    """

    def __init__(
        self,
        parent: Node,
        name: str,
        publish: tuple[type, str],
        subscribe: tuple[type, str],
        take: Callable[[Any], None],
    ) -> None:
        """Start receiving.

        Args:
            parent: gives context, namespace and remapping of topics.
            name: what is added to the parent's name.
            publish: type and topic of what is sent.
            subscribe: type and topic of what is received.
            take: called in the thread with each message; it must not raise.
        """
        self._node = Node(
            f"{parent.get_name()}_{name}",
            context=parent.context,
            namespace=parent.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[Parameter("start_type_description_service", value=False)],
        )
        self.publisher = self._node.create_publisher(publish[0], parent.resolve_topic_name(publish[1]), QOS)
        self._subscription = self._node.create_subscription(
            subscribe[0], parent.resolve_topic_name(subscribe[1]), take, QOS
        )
        self._take = take
        self._end = self._node.create_guard_condition(lambda: None)
        self._ending = False
        self._thread = threading.Thread(target=self._receive, name=name, daemon=True)
        self._thread.start()

    @property
    def matched(self) -> bool:
        """Whether somebody receives what is published."""
        return bool(self.publisher.get_subscription_count())

    def close(self) -> None:
        """Stop the thread and remove the node."""
        self._ending = True
        with contextlib.suppress(rclpy_implementation.InvalidHandle):
            self._end.trigger()
        self._thread.join(1.0)
        self._node.destroy_node()

    def _receive(self) -> None:
        # The context may end first, as after a signal.
        ended = contextlib.suppress(rclpy_implementation.InvalidHandle)
        with ended, self._subscription.handle, self._end.handle, self._node.context.handle:
            self._receive_until_end()

    def _receive_until_end(self) -> None:
        context, subscription = self._node.context, self._subscription
        wait_set = rclpy_implementation.WaitSet(1, 1, 0, 0, 0, 0, context.handle)
        while not self._ending and context.ok():
            wait_set.clear_entities()
            wait_set.add_subscription(subscription.handle)
            wait_set.add_guard_condition(self._end.handle)
            wait_set.wait(_POLL)
            if wait_set.get_ready_entities("subscription"):
                self._take_all()

    def _take_all(self) -> None:
        subscription = self._subscription
        try:
            while (taken := subscription.handle.take_message(subscription.msg_type, False)) is not None:
                self._take(taken[0])
        except Exception as error:
            # Anybody may publish anything, and whatever it is, the next message has to get through.
            self._node.get_logger().warning(f"a message on {subscription.topic_name} cannot be received: {error}")
