"""A ROS 2 node that lets a robot nod, by its standard topics.

ros2 launch simspark_ros simulator.launch.py robots:="['nao']"     # elsewhere; or simspark serve --robot nao
python examples/ros_node.py --ros-args -r __ns:=/nao
"""

import math
from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState


class Nod(Node):
    """Answers each message about the joints with where the head is to go."""

    def __init__(self) -> None:
        super().__init__("nod")
        self._commands = self.create_publisher(JointState, "joint_command", 10)
        self.create_subscription(JointState, "joint_states", self._on_joints, 10)

    def _on_joints(self, joints: JointState) -> None:
        stamp = joints.header.stamp
        time = stamp.sec + 1e-9 * stamp.nanosec
        self._commands.publish(JointState(name=["hj2"], position=[0.4 * math.sin(4.0 * time)]))


def main() -> None:
    """Nod until Ctrl-C."""
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Nod())


if __name__ == "__main__":
    main()
