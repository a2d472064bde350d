"""The topics by which a robot plays: what it says and asks for, and where it wants to be beamed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Empty

from simspark_ros.effectors.beam import beam
from simspark_ros.effectors.request_pass import request_pass
from simspark_ros.effectors.say import say
from simspark_ros.msg import Beam, Say
from simspark_ros.ros.events import SubscriptionEventCallbacks
from simspark_ros.soccer.world import CommandRejectedError, Robot, World

MAX_WAITING = 8
"""Commands of one robot that wait for the next cycle; further ones are refused."""

QOS = QoSProfile(depth=10)


class Reject(Protocol):
    """Counts and logs a refused command."""

    def __call__(self, robot: str, reason: str, text: str, topic: str = ...) -> None:
        """Take name of the robot, a short reason, a text that names the culprit, and the topic."""
        ...


_Command = Callable[[World, Robot], None]


class PlayerTopics:
    """`say`, `beam` and `pass`.

    Made and destroyed by the executor's thread, used by the simulation's.

    Attributes:
        waiting: commands to be carried out.
    """

    def __init__(self, node: Node, topic: Callable[[str], str], name: str, reject: Reject) -> None:
        """Create the subscriptions.

        Args:
            node: that has them.
            topic: completes the name of a topic.
            name: of the robot, for messages.
            reject: called for refused commands.
        """
        self._node, self._name, self._reject = node, name, reject
        self._lock = threading.Lock()
        self.waiting: deque[tuple[str, _Command]] = deque()
        callbacks: dict[str, tuple[type[Any], Callable[[Any], None]]] = {
            "say": (Say, self._on_say),
            "beam": (Beam, self._on_beam),
            "pass": (Empty, self._on_pass),
        }
        self._subscriptions = [
            node.create_subscription(
                kind,
                topic(word),
                callback,
                QOS,
                event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
            )
            for word, (kind, callback) in callbacks.items()
        ]

    def apply(self, world: World, robot: Robot) -> None:
        """Carry out what has come since the last cycle."""
        if not self.waiting:
            return
        with self._lock:
            waiting, self.waiting = self.waiting, deque()
        for kind, command in waiting:
            try:
                command(world, robot)
            except CommandRejectedError as error:
                self._reject(self._name, "refused", str(error), kind)

    def destroy(self) -> None:
        """Take the topics away. The simulation must not use them any more."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _put(self, kind: str, command: _Command) -> None:
        with self._lock:
            if len(self.waiting) < MAX_WAITING:
                self.waiting.append((kind, command))
                return
        self._reject(self._name, "too many", f"more than {MAX_WAITING} in one cycle", kind)

    def _on_say(self, message: Any) -> None:
        text = message.text
        self._put("say", lambda world, robot: say.act(world, robot, (text,)))

    def _on_beam(self, message: Any) -> None:
        x, y, theta = message.x, message.y, message.theta
        self._put("beam", lambda world, robot: beam.act(world, robot, (x, y, theta)))

    def _on_pass(self, message: Any) -> None:
        self._put("pass", lambda world, robot: request_pass.act(world, robot, ()))
