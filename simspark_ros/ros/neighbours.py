"""Notices another simulator in the same ROS domain, whose topics and services would have the same names."""

from __future__ import annotations

import time

import rclpy
from rcl_interfaces.srv import ListParameters
from rclpy.client import Client
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.topics.world.clock import TOPIC

_DISCOVERY = 1.0
"""Seconds in which DDS finds the participants of this machine, ..."""
_ANSWER, _QUESTIONS = 0.5, 4
"""... and in which a node answers that lives, and how often it is asked: the first answers may be lost as long as DDS
has not yet brought the two together. A node that was killed is found, too, for some seconds."""


def other_clocks(node: Node) -> list[str]:
    """Full names of the nodes that tell the time beside this one, which does; a second one of its own name counts."""
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
