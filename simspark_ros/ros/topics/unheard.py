"""Finds publishers whose messages DDS does not bring to this node, though it listens to their topic."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible

from simspark_ros.server.tcp.client_log import RateLimitedLog

_AT_ONCE = 20
"""Subscriptions that a look takes; to count the publishers of one costs 0.05 ms."""
_REMEMBERED = 1000
_LINES_AT_ONCE, _LINES_PER_SECOND = 3, 0.1


class UnheardPublishers:
    """Names publishers of another type, or of less than a subscription asks for, once each, a few lines a minute.

    Everything belongs to the executor's thread.
    """

    def __init__(self, node: Node) -> None:
        self._node, self._next = node, 0
        self._log = RateLimitedLog(node.get_logger(), burst=_LINES_AT_ONCE, rate=_LINES_PER_SECOND)
        self._told: set[bytes] = set()

    def look(self) -> None:
        """Look at the next subscriptions; they take turns."""
        subscriptions = list(self._node.subscriptions)
        if self._next >= len(subscriptions):
            self._next = 0
        for subscription in subscriptions[self._next : self._next + _AT_ONCE]:
            if self._node.count_publishers(subscription.topic_name):
                self._check(subscription)
        self._next += _AT_ONCE

    def _check(self, subscription: Any) -> None:
        topic = subscription.topic_name
        for publisher in self._node.get_publishers_info_by_topic(topic):
            key = bytes(publisher.endpoint_gid)
            why = "" if key in self._told else _mismatch(publisher, subscription)
            if why and len(self._told) < _REMEMBERED:
                self._told.add(key)
                name = f"{publisher.node_namespace.rstrip('/')}/{publisher.node_name}"
                self._log.warning(f"messages of {name} on {topic} are not received: {why}")


def _mismatch(publisher: Any, subscription: Any) -> str:
    """Why a publisher is not heard, with the remedy; empty if it is."""
    kind = subscription.msg_type
    expected = f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}"
    found = publisher.topic_type
    if found != expected:
        stamped = {f"{expected}Stamped": "true", expected.removesuffix("Stamped"): "false"}.get(found)
        hint = f", or start the simulator with stamped_cmd_vel:={stamped}" if stamped else ""
        return f"they are {found}; publish {expected}{hint}"
    matches, reason = qos_check_compatible(publisher.qos_profile, subscription.qos_profile)
    # It begins with "ERROR: " and ends with ";".
    return (
        "" if matches != QoSCompatibility.ERROR else f"{reason.removeprefix('ERROR: ').rstrip(';')}; publish reliably"
    )
