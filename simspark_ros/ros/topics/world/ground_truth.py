"""`ground_truth/ball` and `ground_truth/robots`."""

from __future__ import annotations

from geometry_msgs.msg import Pose, PoseArray
from nav_msgs.msg import Odometry

from simspark_ros.ros.conversions import MAP, set_quaternion, set_xyz
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import TopicPublisher


class BallPublisher(TopicPublisher):
    """`ground_truth/ball` (nav_msgs/Odometry): true state of the ball. Its frame keeps the axes of `map`."""

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("ground_truth/ball", Odometry(child_frame_id="ball"), cycle, MAP)

    def fill(self) -> bool:
        state = self.cycle.state
        set_xyz(self.message.pose.pose.position, state.ball_position.tolist())
        set_xyz(self.message.twist.twist.linear, state.ball_velocity.tolist())
        set_xyz(self.message.twist.twist.angular, state.ball_angular_velocity.tolist())
        return True


class RobotsPublisher(TopicPublisher):
    """`ground_truth/robots` (geometry_msgs/PoseArray): base frames of robots with a name, in order of GetEntities."""

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("ground_truth/robots", PoseArray(), cycle, MAP)

    def fill(self) -> bool:
        rows, poses = self.cycle.named_rows, self.message.poses
        if len(poses) != len(rows):
            poses = self.message.poses = [Pose() for _ in rows]
        positions = self.cycle.motion.position[rows].tolist()
        quaternions = self.cycle.motion.quaternion[rows].tolist()
        for pose, position, quaternion in zip(poses, positions, quaternions, strict=True):
            set_xyz(pose.position, position)
            set_quaternion(pose.orientation, quaternion)
        return True
