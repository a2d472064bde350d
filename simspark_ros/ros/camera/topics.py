"""The topics of one camera of one robot, and their messages."""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, PointCloud2, PointField
from std_msgs.msg import String

from simspark_ros.rendering.drawing.optics import Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.pictures import CompressedFormat, compressed, compressed_depth, measured_depth, taken
from simspark_ros.rendering.rendered_scene import SceneCamera
from simspark_ros.rendering.renderer import CameraView, Layer, Picture
from simspark_ros.rendering.robot_cameras import CameraSettings
from simspark_ros.ros.camera.names import LABEL_NAMES, base_of, camera_topics
from simspark_ros.ros.conversions import tick_of
from simspark_ros.ros.endpoints import create_publisher
from simspark_ros.ros.topics.publisher import frame_prefix

_BIG_ENDIAN = sys.byteorder == "big"
_POINT = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("rgb", "u4")])


def image_of(pixels: NDArray[Any], encoding: str) -> Image:
    """Rows of pixels, (height, width) or (height, width, channels)."""
    height, width = pixels.shape[:2]
    message = Image(height=height, width=width, encoding=encoding, is_bigendian=_BIG_ENDIAN)
    message.step = pixels.nbytes // height
    message.data = _bytes(pixels)
    return message


def info_of(lens: Lens | MirrorLens) -> CameraInfo:
    """The sensor_msgs/CameraInfo of a camera. Its pictures are not rectified, and need no rotation to be.

    With a mirror the model is `unified`, whose only coefficient is xi: (X, Y, Z) is at f X / (Z + xi |(X, Y, Z)|).
    """
    matrix = lens.matrix.tolist()
    message = CameraInfo(width=lens.width, height=lens.height)
    if isinstance(lens, MirrorLens):
        message.distortion_model, message.d = "unified", [lens.mirror.xi]
    else:
        message.distortion_model, message.d = "plumb_bob", list(lens.distortion)
    message.k = [value for row in matrix for value in row]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [value for row in matrix for value in (*row, 0.0)]
    return message


def cloud_of(depth: NDArray[np.float32], picture: Picture, lens: Lens | MirrorLens) -> PointCloud2:
    """Coloured points in the optical frame, one for each pixel; NaN where there is no distance."""
    height, width = depth.shape
    points = np.empty((height, width), _POINT)
    x, y, _ = lens.rays().reshape(3, height, width)
    points["x"], points["y"], points["z"] = x * depth, y * depth, depth
    red, green, blue = picture.astype(np.uint32).transpose(2, 0, 1)
    points["rgb"] = red << 16 | green << 8 | blue
    message = PointCloud2(height=height, width=width, point_step=_POINT.itemsize, is_dense=False)
    message.row_step, message.is_bigendian = width * _POINT.itemsize, _BIG_ENDIAN
    # By convention the bytes of a colour are stored as a float.
    message.fields = [
        PointField(name=name, offset=4 * number, datatype=PointField.FLOAT32, count=1)
        for number, name in enumerate(_POINT.names or ())
    ]
    message.data = _bytes(points)
    return message


def _bytes(pixels: NDArray[Any]) -> array[int]:
    # Conversion of single pixels would take longer than drawing.
    return array("B", pixels.tobytes())


_QOS = QoSProfile(depth=5)
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

_LAYERS = {
    "image_raw": Layer.PICTURE,
    "image_raw/compressed": Layer.PICTURE,
    "depth/image_raw": Layer.DEPTH,
    "depth/image_raw/compressedDepth": Layer.DEPTH,
    "depth/points": Layer.DEPTH | Layer.PICTURE,
    "segmentation/image_raw": Layer.LABELS,
}


class CameraTopics:
    """The topics that a camera's settings ask for (`names.camera_topics`); all or, with an error of rclpy, none.

    Attributes:
        wanted: names of the topics that have subscribers and are served here, as of the last `refresh`.
    """

    def __init__(self, node: Node, source: SceneCamera, tf: str = "namespaced", seed: int = 1) -> None:
        self.wanted: frozenset[str] = frozenset()
        self._node = node
        self._frame = frame_prefix(source.robot.name, tf) + source.camera.frame
        self._tick = -1
        base = base_of(source.robot.name, source.camera)
        self._seed = seed, zlib.crc32(base.encode())
        self._publishers: dict[str, Any] = {}
        with ExitStack() as made:
            made.callback(self.destroy)
            for name, kind in camera_topics(source.camera.settings).items():
                qos = _LATCHED if name == LABEL_NAMES else _QOS
                self._publishers[name] = create_publisher(node, kind, f"{base}/{name}", qos)
            made.pop_all()

    def serve(self, camera: SceneCamera | None) -> bool:
        """Whether these are the topics that the camera asks for now; None = the camera is gone, so they are not."""
        return camera is not None and camera_topics(camera.camera.settings).keys() == self._publishers.keys()

    def refresh(self, is_own: bool) -> None:
        """Find out which topics have subscribers; none is served if the camera is another process's."""
        publishers = self._publishers.items() if is_own else ()
        counts = {name: publisher.get_subscription_count() for name, publisher in publishers if name != LABEL_NAMES}
        self.wanted = frozenset(name for name, count in counts.items() if count)

    def is_due(self, time: float, rate: float) -> bool:
        """Whether a new period of a rate (Hz) has begun at a simulated time (s), which may also have jumped back."""
        tick = tick_of(time, rate)
        due, self._tick = tick != self._tick, tick
        return due

    def name_labels(self, labels: Mapping[int, str]) -> None:
        """Send the names of the labels, if the camera has any."""
        if LABEL_NAMES in self._publishers:
            names = self._publishers[LABEL_NAMES]
            names.publish(String(data=json.dumps({str(label): name for label, name in labels.items()})))

    def publish(
        self,
        stamp: Any,
        settings: CameraSettings,
        look: Callable[[Layer], CameraView],
        file: tuple[CompressedFormat, int],
    ) -> None:
        """Send all that is wanted of the state of a stamp; `look` draws it, `file` is format and quality of files."""
        lens, layers = settings.lens, Layer(0)
        for name in self.wanted:
            layers |= _LAYERS.get(name, Layer(0))
            if name.endswith("camera_info"):
                self._send(name, info_of(lens), stamp)
        if not layers:
            return
        if settings.aperture and Layer.PICTURE in layers:
            layers |= Layer.DEPTH
        view = look(layers)
        # Noise depends on seed, camera and time alone.
        random = np.random.default_rng([*self._seed, stamp.sec, stamp.nanosec])
        picture = view.picture
        if Layer.PICTURE in layers:
            picture = taken(view, settings, lens, random)
        if "image_raw" in self.wanted:
            self._send("image_raw", image_of(picture, "rgb8"), stamp)
        if "image_raw/compressed" in self.wanted:
            self._send("image_raw/compressed", _file_of(picture, *file), stamp)
        if Layer.DEPTH in layers:
            self._send_depth(measured_depth(view.depth, settings, random), picture, settings, stamp)
        if Layer.LABELS in layers:
            self._send("segmentation/image_raw", image_of(view.labels, "16UC1"), stamp)

    def _send_depth(self, depth: NDArray[np.float32], picture: Picture, settings: CameraSettings, stamp: Any) -> None:
        if "depth/image_raw" in self.wanted:
            self._send("depth/image_raw", image_of(depth, "32FC1"), stamp)
        if "depth/image_raw/compressedDepth" in self.wanted:
            message = CompressedImage(format="32FC1; compressedDepth png")
            message.data = array("B", compressed_depth(depth))
            self._send("depth/image_raw/compressedDepth", message, stamp)
        if "depth/points" in self.wanted:
            self._send("depth/points", cloud_of(depth, picture, settings.lens), stamp)

    def destroy(self) -> None:
        """Remove the topics."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)

    def _send(self, name: str, message: Any, stamp: Any) -> None:
        message.header.stamp, message.header.frame_id = stamp, self._frame
        self._publishers[name].publish(message)


def _file_of(picture: Picture, kind: CompressedFormat, quality: int) -> CompressedImage:
    # Readers of the files of compressed_image_transport get blue first, as OpenCV has it.
    message = CompressedImage(format=f"rgb8; {kind} compressed bgr8")
    message.data = array("B", compressed(picture, kind, quality))
    return message
