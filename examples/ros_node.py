"""A ROS 2 node that walks a robot to the ball, by its topics: docs/tutorials/ros_node.md makes it step by step.

ros2 launch simspark_ros robot.launch.py                           # elsewhere; or simspark serve --robot nao
python examples/ros_node.py --ros-args -r __ns:=/nao -p speed:=0.2
"""

from contextlib import suppress

import rclpy
from geometry_msgs.msg import Twist
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from sensor_msgs.msg import JointState

from simspark_ros.msg import SeenObjects

LOOK_DOWN = -0.5
"""Angle of the head's joint hj2, rad; with a level head the ball at its feet is out of the eye's view."""


class Chase(Node):
    """Walks towards where the ball was seen last, and turns until it is seen."""

    def __init__(self) -> None:
        super().__init__("chase", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self._speed = self.declare_parameter("speed", 0.3).value
        self._bearing = 0.0
        self._seen_at: Time | None = None
        self._velocities = self.create_publisher(Twist, "cmd_vel", 10)
        self._joints = self.create_publisher(JointState, "joint_command", 10)
        self.create_subscription(SeenObjects, "seen_objects", self._on_seen, 10)
        self.create_timer(0.1, self._walk)

    def _on_seen(self, seen: SeenObjects) -> None:
        if "B" in seen.names:
            ball = seen.names.index("B")
            self._bearing, self._seen_at = seen.bearings[ball], Time.from_msg(seen.header.stamp)
            self.get_logger().info(f"ball {seen.ranges[ball]:.1f} m away", throttle_duration_sec=1.0)

    def _walk(self) -> None:
        velocity = Twist()
        if self._seen_at and self.get_clock().now() - self._seen_at < Duration(seconds=1.0):
            velocity.linear.x, velocity.angular.z = self._speed, self._bearing
        else:
            velocity.angular.z = 0.8
        self._velocities.publish(velocity)
        self._joints.publish(JointState(name=["hj2"], position=[LOOK_DOWN]))


def main() -> None:
    """Chase the ball until Ctrl-C."""
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Chase())


if __name__ == "__main__":
    main()
