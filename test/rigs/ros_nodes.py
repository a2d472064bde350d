"""ROS contexts on a domain and in a namespace of one test."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from test.rigs.ros_processes import Domain

DEADLINE = 15.0
"""Seconds after which a test that waits for something has failed."""


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


def until(condition: Callable[[], object], serve: Callable[[], object] = lambda: time.sleep(0.002)) -> None:
    """Serve until something is the case."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it does not happen"
        serve()
