"""The topics of one camera of one robot."""

from __future__ import annotations

from array import array
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image

from simspark_ros.rendering.optics import Lens
from simspark_ros.rendering.rendered_scene import SceneCamera
from simspark_ros.rendering.renderer import Picture
from simspark_ros.ros.conversions import tick_of
from simspark_ros.ros.endpoints import create_publisher

_QOS = QoSProfile(depth=5)


class CameraTopics:
    """`image_raw` and `camera_info`.

    Raises:
        InvalidTopicNameException: the robot's or the camera's name cannot be part of a topic.
    """

    def __init__(self, node: Node, source: SceneCamera) -> None:
        self._node = node
        self._frame = source.camera.frame
        self._tick = -1
        base = f"{source.robot.name.rstrip('/')}/{source.camera.name}"
        self._images = create_publisher(node, Image, f"{base}/image_raw", _QOS)
        self._infos = create_publisher(node, CameraInfo, f"{base}/camera_info", _QOS)

    @property
    def wants_pictures(self) -> bool:
        """Whether `image_raw` has subscribers."""
        return bool(self._images.get_subscription_count())

    @property
    def wants_info(self) -> bool:
        """Whether `camera_info` has subscribers."""
        return bool(self._infos.get_subscription_count())

    def is_due(self, time: float, rate: float) -> bool:
        """Whether a new period of a rate (Hz) has begun at a simulated time (s), which may also have jumped back."""
        tick = tick_of(time, rate)
        due, self._tick = tick != self._tick, tick
        return due

    def publish_picture(self, stamp: Any, picture: Picture) -> None:
        """Send a picture of the state of a stamp."""
        height, width, _ = picture.shape
        message = Image(height=height, width=width, encoding="rgb8", step=3 * width)
        # Conversion of single pixels would take longer than drawing.
        message.data = array("B", picture.tobytes())
        message.header.stamp, message.header.frame_id = stamp, self._frame
        self._images.publish(message)

    def publish_info(self, stamp: Any, lens: Lens) -> None:
        """Send the camera's parameters, with the stamp of the picture that they belong to."""
        message = info_of(lens)
        message.header.stamp, message.header.frame_id = stamp, self._frame
        self._infos.publish(message)

    def destroy(self) -> None:
        """Remove the topics."""
        self._node.destroy_publisher(self._images)
        self._node.destroy_publisher(self._infos)


def info_of(lens: Lens) -> CameraInfo:
    """The sensor_msgs/CameraInfo of an ideal pinhole camera, without header."""
    matrix = lens.matrix.tolist()
    message = CameraInfo(width=lens.width, height=lens.height, distortion_model="plumb_bob", d=[0.0] * 5)
    message.k = [value for row in matrix for value in row]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [value for row in matrix for value in (*row, 0.0)]
    return message
