"""Notices another simulator in the same ROS domain, whose topics and services would have the same names."""

from __future__ import annotations

from rclpy.node import Node

from simspark_ros.ros.topics.world.clock import TOPIC


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
