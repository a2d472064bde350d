"""A topic of the sensor."""

from collections.abc import Sequence

from std_msgs.msg import Float64

from simspark_ros.plugins import Cycle, RobotEntry, TopicPublisher


class Topic(TopicPublisher):
    """`number` (std_msgs/Float64)."""

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """One topic for each robot."""
        return [cls(robot.topic("number"), Float64(data=42.0), cycle)]

    def fill(self) -> bool:
        """Nothing changes."""
        return True
