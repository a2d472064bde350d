"""`ground_truth` of each robot."""

from __future__ import annotations

from collections.abc import Sequence

from nav_msgs.msg import Odometry

from simspark_ros.ros.conversions import MAP, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher


class GroundTruthPublisher(TopicPublisher):
    """`ground_truth` (nav_msgs/Odometry): true pose of a robot's base frame in `map`, its twist in the base frame."""

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        super().__init__(robot.topic("ground_truth"), Odometry(child_frame_id=robot.base_frame), cycle, MAP)
        self._handle = robot.handle

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle)]

    def bind(self) -> None:
        self._row = self.cycle.row(self._handle)

    def fill(self) -> bool:
        motion, row = self.cycle.motion, self._row
        set_xyz(self.message.pose.pose.position, motion.position[row].tolist())
        set_quaternion(self.message.pose.pose.orientation, motion.quaternion[row].tolist())
        set_xyz(self.message.twist.twist.linear, motion.linear[row].tolist())
        set_xyz(self.message.twist.twist.angular, motion.angular[row].tolist())
        return True
