"""Names and types of the topics of a camera, as in image_transport and depth_image_proc."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import CameraInfo, CompressedImage, Image, PointCloud2
from std_msgs.msg import String

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.rendering.robot_cameras import RobotCamera

LABEL_NAMES = "segmentation/labels"
"""The one topic that is sent once, not with each picture."""

_PICTURE = {"image_raw": Image, "image_raw/compressed": CompressedImage, "camera_info": CameraInfo}
_DEPTH = {
    "depth/image_raw": Image,
    "depth/image_raw/compressedDepth": CompressedImage,
    "depth/camera_info": CameraInfo,
    "depth/points": PointCloud2,
}
_LABELS = {"segmentation/image_raw": Image, "segmentation/camera_info": CameraInfo, LABEL_NAMES: String}


def camera_topics(settings: CameraParameters) -> dict[str, type[Any]]:
    """Names of the topics below the camera's name, and their types."""
    return {**_PICTURE, **(_DEPTH if settings.depth else {}), **(_LABELS if settings.segmentation else {})}


def base_of(namespace: str, camera: RobotCamera) -> str:
    """Start of the names of all topics of a camera."""
    return f"{namespace.rstrip('/')}/{camera.name}"
