"""`/clock` of another program, which the simulation follows if its pacing is `external`."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.topics.publisher import LATEST
from simspark_ros.ros.topics.world.clock import TOPIC, ClockPublisher
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.pacing.scheduler import Scheduler


class OuterClock:
    """Listens to `/clock` while it is followed, and keeps the simulator's own silent meanwhile.

    Belongs to the thread of the executor.
    """

    def __init__(self, node: Node, scheduler: Scheduler, own: ClockPublisher) -> None:
        self._node, self._scheduler, self._own = node, scheduler, own
        self._subscription: Any = None

    def update(self, pacing: str) -> None:
        """Listen, or publish again, as a pacing wants it."""
        if (pacing == EXTERNAL) == (self._subscription is not None):
            return
        if pacing == EXTERNAL:
            self._own.mute(self._node)
            self._scheduler.told = None
            self._subscription = create_subscription(self._node, Clock, TOPIC, self._take, LATEST)
        else:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._own.open(self._node)

    def _take(self, message: Clock) -> None:
        self._scheduler.told = seconds_of(message.clock)
