"""Topics of the simulator node: one class for each kind of topic, one file for each idea.

`registry` says which topics a robot has. Plug-ins with a publisher class of their own derive from `TopicPublisher`.
"""

from simspark_ros.ros.conversions import covariance, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher, interval_of

__all__ = [
    "Cycle",
    "RobotEntry",
    "TopicError",
    "TopicPublisher",
    "covariance",
    "interval_of",
    "set_quaternion",
    "set_xyz",
]
