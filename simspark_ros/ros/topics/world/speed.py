"""`real_time_factor`: the speed of the simulation."""

from __future__ import annotations

from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATEST, TopicPublisher
from simspark_ros.simulation.pacing.speed import WINDOWS, SpeedEstimator


class SpeedPublisher(TopicPublisher):
    """`real_time_factor` (std_msgs/Float64MultiArray, best effort): simulated seconds per second, as means.

    The means are over the last 5, 10, 20 and 50 cycles; their differences tell how steady the speed is.
    """

    qos = LATEST

    def __init__(self, cycle: Cycle, speed: SpeedEstimator) -> None:
        message = Float64MultiArray()
        label = "mean over cycles: " + ", ".join(map(str, WINDOWS))
        message.layout.dim = [MultiArrayDimension(label=label, size=len(WINDOWS), stride=len(WINDOWS))]
        super().__init__("real_time_factor", message, cycle)
        self._speed = speed

    def fill(self) -> bool:
        """Take the means."""
        self.message.data = [self._speed.mean(cycles) for cycles in WINDOWS]
        return True
