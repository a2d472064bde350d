"""A publisher and a subscription in a thread of their own, for messages on which every lock-step cycle waits."""

from __future__ import annotations

import contextlib
import threading
from array import array
from collections.abc import Callable

from rclpy.duration import Duration

# Private, because no public way to wait costs as little. A `SingleThreadedExecutor` with this node alone takes 0.45 ms
# more processor time in each of the two processes of an exchange (1.0 ms instead of 0.55 ms with 22 robots, 1.1 ms
# instead of 0.65 ms with one), on which lock-step waits. rclpy's `EventsExecutor` delivers
# nothing, and `wait_for_message`, which waits in this way, makes a new subscription for every message.
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

from simspark_ros.msg import BridgeMessage
from simspark_ros.server.tcp.client_log import RateLimitedLog

QOS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=64, reliability=ReliabilityPolicy.RELIABLE)
"""QoS of both topics: a lost answer would stop lock-step. The history holds a second of cycles, enough for ordinary
delays, even if strangers publish on the topic and take places in it."""

PERCEPTS_TOPIC = "bridge/percepts"
COMMANDS_TOPIC = "bridge/commands"

_POLL = 200_000_000
"""Longest wait for a message, ns, so that the end of the context is noticed."""


class FastSubscriber:
    """A publisher and a subscription of `BridgeMessage` with a thread of their own.

    The parent gives context, namespace and remapping of topics; `name` is appended to the parent's name. The thread
    calls `take` with the bytes of each message; it must not raise.
    """

    def __init__(self, parent: Node, name: str, publish: str, subscribe: str, take: Callable[[bytes], None]) -> None:
        self._node = Node(
            f"{parent.get_name()}_{name}",
            context=parent.context,
            namespace=parent.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[Parameter("start_type_description_service", value=False)],
        )
        self._log = RateLimitedLog(self._node.get_logger())
        self._publisher = self._node.create_publisher(BridgeMessage, parent.resolve_topic_name(publish), QOS)
        self._subscription = self._node.create_subscription(
            BridgeMessage, parent.resolve_topic_name(subscribe), self._take_message, QOS
        )
        self._take = take
        self._end = self._node.create_guard_condition(lambda: None)
        self._ending = False
        self._thread = threading.Thread(target=self._receive, name=name, daemon=True)
        self._thread.start()

    @property
    def matched(self) -> bool:
        """Whether anybody subscribes to the published topic."""
        return bool(self._publisher.get_subscription_count())

    def send(self, data: bytes) -> None:
        """Publish a message."""
        # Nothing else is as fast as `array.array` for the fields of messages.
        self._publisher.publish(BridgeMessage(data=array("B", data)))

    def wait_for_all_acked(self, timeout: float) -> None:
        """Wait until all messages have been received, for a time (s) at most."""
        self._publisher.wait_for_all_acked(Duration(seconds=timeout))

    def close(self) -> None:
        """Stop the thread and remove the node."""
        self._ending = True
        with contextlib.suppress(rclpy_implementation.InvalidHandle):
            self._end.trigger()
        self._thread.join(1.0)
        self._node.destroy_node()

    def _take_message(self, message: BridgeMessage) -> None:
        self._take(bytes(message.data))

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
                self._take_message(taken[0])
        except Exception as error:
            # The topic is open to all publishers: after any message the next one has to get through.
            self._log.warning(f"a message on {subscription.topic_name} cannot be received: {error}")
