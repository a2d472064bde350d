"""Messages whose numbers are replaced in their bytes are those that rclpy would have made."""

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, PoseArray
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Header

from simspark_ros.ros.topics.transforms import SerializedMessage


def poses(frame: str, stamp: Time, values: list[list[float]]) -> PoseArray:
    message = PoseArray(header=Header(frame_id=frame))
    message.header.stamp = stamp
    for x, y, z, w in values:
        pose = Pose()
        pose.position.x, pose.position.y, pose.position.z, pose.orientation.w = x, y, z, w
        message.poses.append(pose)
    return message


def test_numbers_and_stamp_are_replaced_and_nothing_else() -> None:
    # Names of all lengths: numbers begin at multiples of eight.
    for frame in ("", "a", "map", "odometry", "x" * 33):
        stamp = Time(sec=3, nanosec=4)
        first = poses(frame, stamp, [[0.0, 0.0, 0.0, 1.0]] * 3)
        numbers = [
            (part, name)
            for pose in first.poses
            for part, names in ((pose.position, "xyz"), (pose.orientation, "w"))
            for name in names
        ]
        before = serialize_message(first)
        serialized = SerializedMessage(first, numbers, stamp)
        assert serialize_message(first) == before, "the message was changed"
        for time in (5, 6):
            values = np.random.default_rng(time).random((3, 4))
            stamp.sec, stamp.nanosec = time, 10 * time
            expected = poses(frame, stamp, values.tolist())
            data = serialized.at(values.ravel(), stamp)
            assert deserialize_message(data, PoseArray) == expected
            assert data == serialize_message(expected)
