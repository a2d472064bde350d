"""ROS contexts on a domain and in a namespace of one test."""

import os
import secrets

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from test.rigs.ros_processes import Domain


class RosNodes:
    """Any number of nodes, each with a context of its own as if it were alone in its process."""

    def __init__(self) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self.domain = Domain()
        self.namespace = f"/test_{secrets.token_hex(4)}"
        self._nodes: list[Node] = []

    def context(self) -> Context:
        context = Context()
        rclpy.init(context=context, domain_id=self.domain.number, signal_handler_options=SignalHandlerOptions.NO)
        return context

    def node(self, name: str) -> Node:
        node = Node(name, namespace=self.namespace, context=self.context())
        self._nodes.append(node)
        return node

    def close(self) -> None:
        for node in self._nodes:
            node.destroy_node()
            rclpy.try_shutdown(context=node.context)
        self.domain.close()
