"""`/clock`."""

from __future__ import annotations

from rosgraph_msgs.msg import Clock

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATEST, TopicPublisher


class ClockPublisher(TopicPublisher):
    """`/clock` (rosgraph_msgs/Clock, best effort): simulated time, once a cycle."""

    qos = LATEST

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("/clock", Clock(), cycle)
        self.message.clock = cycle.stamp

    def fill(self) -> bool:
        return True
