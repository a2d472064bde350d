"""Messages of a camera, without header."""

from __future__ import annotations

import sys
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, PointCloud2, PointField

from simspark_ros.rendering.optics import Lens
from simspark_ros.rendering.panorama import MirrorLens
from simspark_ros.rendering.renderer import Picture

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
