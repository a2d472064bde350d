"""Notices another simulator in the same ROS domain, whose topics and services would have the same names.

It also names publishers whose messages DDS does not bring to this node, though it listens to their topic.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import rclpy
from rcl_interfaces.srv import ListParameters
from rclpy.client import Client
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible

from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.topics.world.clock import TOPIC
from simspark_ros.server.tcp.client_log import RateLimitedLog

_DISCOVERY = 1.0
"""Seconds in which DDS finds the participants of this machine."""
_ANSWER, _QUESTIONS = 0.5, 4
"""Seconds in which a living node answers, and how often it is asked: the first answers may be lost as long as DDS has
not yet brought the two together. DDS also finds a node that was killed, for some seconds."""


def other_clocks(node: Node) -> list[str]:
    """Full names of the other nodes that publish the time; a second node with the name of this one counts."""
    found = [f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in node.get_publishers_info_by_topic(TOPIC)]
    if node.get_fully_qualified_name() in found:
        found.remove(node.get_fully_qualified_name())
    return sorted(set(found))


def warning_of(name: str, domain: int) -> str:
    """The warning about such a node in a domain."""
    return (
        f"{name} publishes {TOPIC}, too: two simulators in ROS domain {domain} take each other's commands and mix "
        f"their times. Give one of them a domain of its own: ROS_DOMAIN_ID={domain + 1} simspark serve ..."
    )


def refuse_namesake(node: Node, asking: Node, since: float) -> None:
    """Refuse to start beside a node of the same name.

    Args:
        node: the node that starts; its callbacks are not called yet.
        asking: another node of this process.
        since: time when they were made, by `time.monotonic`, s.

    Raises:
        UserError: a living node has the name.
    """
    name, end = node.get_fully_qualified_name(), since + _DISCOVERY
    while asking.get_fully_qualified_node_names().count(name) < 2:
        if time.monotonic() > end:
            return
        time.sleep(_DISCOVERY / 10.0)
    executor = SingleThreadedExecutor(context=asking.context)
    client = asking.create_client(ListParameters, f"{name}/list_parameters")
    try:
        lives = any(_answers(asking, client, executor) for _ in range(_QUESTIONS))
    finally:
        asking.destroy_client(client)
        executor.shutdown()
    if lives:
        domain = asking.context.get_domain_id()
        raise UserError(
            f"{name} runs already in ROS domain {domain}: topics and services of both would have the same names. Give "
            f"this one a domain of its own (ROS_DOMAIN_ID={domain + 1}) or a namespace (-r __ns:=/second), or start it "
            "with share_domain:=true"
        )


def _answers(asking: Node, client: Client[ListParameters.Request, ListParameters.Response], executor: Executor) -> bool:
    answer = client.call_async(ListParameters.Request())
    rclpy.spin_until_future_complete(asking, answer, executor, timeout_sec=_ANSWER)
    return bool(answer.done())


_AT_ONCE = 20
"""Subscriptions that a look takes; to count the publishers of one costs 0.05 ms."""
_REMEMBERED = 1000
_NAMELESS, _LOOKS = "_NODE_NAME_UNKNOWN_", 5
"""Name that ROS gives to a publisher whose node is not known yet, and number of looks to wait for the node's name:
a program of DDS alone never has one."""
_LINES_AT_ONCE, _LINES_PER_SECOND = 3, 0.1


class UnheardPublishers:
    """Warns once of each publisher with another type, or weaker QoS than a subscription asks for; few lines a minute.

    Everything belongs to the executor's thread.
    """

    def __init__(self, node: Node) -> None:
        self._node, self._next = node, 0
        self._log = RateLimitedLog(node.get_logger(), burst=_LINES_AT_ONCE, rate=_LINES_PER_SECOND)
        self._told: set[bytes] = set()
        self._nameless: Counter[bytes] = Counter()

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
                if publisher.node_name == _NAMELESS and self._nameless[key] < _LOOKS:
                    self._nameless[key] += 1
                    continue
                self._told.add(key)
                del self._nameless[key]
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
