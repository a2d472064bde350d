"""Topics of the simulator node: one class for each kind of topic, one file for each idea.

`registry` says which topics a robot has. Plug-ins with a publisher class of their own derive from `TopicPublisher`.
"""

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, TopicPublisher

__all__ = ["Cycle", "RobotEntry", "TopicError", "TopicPublisher"]
