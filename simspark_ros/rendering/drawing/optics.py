"""The pinhole camera: its pose, and the direction that each pixel shows.

Camera axes are as in REP-103's optical frames: x right, y down, z forward. Pixel (u, v) is column u and row v; whole
numbers are the centres of pixels, (0, 0) is the centre of the upper left one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.perceptors.camera import OPTICAL
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.distortion import NO_DISTORTION, Coefficients, undistorted
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Frame, Vector

MOST_KEPT = 3840 * 2160
"""Most pixels of a picture of which memory is kept for the next one."""

_OUT_OF_THE_WAY = 2.37e-5
"""Shift of the camera's centre, m, see `Lens.projection`."""


@dataclass(frozen=True)
class Lens:
    """Size (pixels) and field of view (rad, across the whole width without distortion) of a picture, square pixels.

    `distortion` has the coefficients of `simspark_ros.physics.geometry.distortion`.
    """

    width: int = 320
    height: int = 240
    horizontal_fov: float = math.radians(60.0)
    distortion: Coefficients = NO_DISTORTION

    @property
    def focal_length(self) -> float:
        """Focal length in pixels, the same in both directions."""
        return self.width / 2.0 / math.tan(self.horizontal_fov / 2.0)

    @property
    def matrix(self) -> Array:
        """Camera matrix K (3, 3), as in sensor_msgs/CameraInfo."""
        f = self.focal_length
        return np.array([[f, 0.0, (self.width - 1) / 2.0], [0.0, f, (self.height - 1) / 2.0], [0.0, 0.0, 1.0]])

    def rays(self) -> NDArray[np.float32]:
        """Directions (3, height * width) of all pixels row by row, camera frame, z = 1. Shared: do not change them."""
        return (_rays if self.width * self.height <= MOST_KEPT else _rays.__wrapped__)(self)

    def finer(self, times: int) -> Lens:
        """The same lens with `times` as many pixels along both edges."""
        return replace(self, width=times * self.width, height=times * self.height)

    def pinhole(self) -> tuple[Lens, IntArray | None]:
        """A lens without distortion that sees the whole view, and the indices of this lens's pixels in its picture.

        The indices are (height * width,), row by row; None if both lenses are the same.
        """
        return _pinhole(self)

    def projection(self, near: float, far: float, software: bool = True) -> list[float]:
        """OpenGL's projection matrix, column by column, for depths between near and far, m.

        PyBullet's software renderer needs two changes. It samples the lower left corner of each
        pixel instead of its centre (measured on 300 pictures of a ball), so the picture is moved by half a pixel. And
        if a whole face lies exactly beside the camera, as the shoulders of a straight standing robot do, its column of
        pixels overflows and the renderer walks through two thousand million of them. So the camera's centre is moved
        out of the way by an odd fraction of a millimetre, 0.004 pixels for a thing 1 m away.
        """
        f = self.focal_length
        depth = near - far
        across, down, away = (1.0 / self.width, 1.0 / self.height, _OUT_OF_THE_WAY) if software else (0.0, 0.0, 0.0)
        return [
            *(2.0 * f / self.width, 0.0, 0.0, 0.0),
            *(0.0, 2.0 * f / self.height, 0.0, 0.0),
            *(across, down, (near + far) / depth, -1.0),
            *(0.0, 0.0, 2.0 * near * far / depth, away),
        ]


@lru_cache(8)
def _rays(lens: Lens) -> NDArray[np.float32]:
    v, u = np.mgrid[0 : lens.height, 0 : lens.width]
    pixels = np.stack([u, v, np.ones_like(u)]).reshape(3, -1)
    rays = np.linalg.inv(lens.matrix) @ pixels
    if lens.distortion != NO_DISTORTION:
        rays[:2] = undistorted(rays[:2], lens.distortion)
    single: NDArray[np.float32] = rays.astype(np.float32)
    return single


@lru_cache(8)
def _pinhole(lens: Lens) -> tuple[Lens, IntArray | None]:
    if lens.distortion == NO_DISTORTION:
        return lens, None
    f, (x, y, _) = lens.focal_length, lens.rays().astype(np.float64)
    # The axis stays in the middle, so both sides get the room that the farthest ray needs on either side.
    width, height = (2 * math.ceil(f * float(np.abs(across).max())) + 2 for across in (x, y))
    pinhole = Lens(width, height, 2.0 * math.atan(width / 2.0 / f))
    column, row = np.rint(f * x + (width - 1) / 2.0), np.rint(f * y + (height - 1) / 2.0)
    return pinhole, (row * width + column).astype(np.int64)


@dataclass(frozen=True)
class CameraPose:
    """Position and orientation of a camera.

    Attributes:
        position: (3,) place of the camera, world frame, m.
        rotation: (3, 3) rotation from camera to world; the columns are right, down and forward.
    """

    position: Array
    rotation: Array

    @classmethod
    def look_at(cls, position: Vector, target: Vector) -> CameraPose:
        """A free camera, upright, that has a point in the middle of its picture (both m, world frame).

        Raises:
            ValueError: position and target are the same, or one is above the other.
        """
        forward = np.subtract(target, position)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        if not np.linalg.norm(right) > 0.0:
            raise ValueError(f"a camera at {position} cannot look at {target}: the line between them is vertical")
        columns = [right, np.cross(forward, right), forward]
        rotation = np.stack([column / np.linalg.norm(column) for column in columns], 1)
        return cls(np.array(position, dtype=float), rotation)

    @classmethod
    def on_link(cls, mount: CameraMount, position: Array, rotation: Array) -> CameraPose:
        """A robot's camera, from its link's centre of mass (3,), m, and rotation from link to world (3, 3)."""
        return cls(position + rotation @ mount.position, rotation @ mount.rotation)

    def view(self) -> Array:
        """Transform (4, 4) from the world to OpenGL's eye space: x right, y up, z backward."""
        axes = self.rotation.T * np.array([[1.0], [-1.0], [-1.0]])
        view = np.eye(4)
        view[:3, :3] = axes
        view[:3, 3] = -axes @ self.position
        return view


@dataclass(frozen=True)
class CameraMount:
    """A camera on a link.

    Attributes:
        link: index of the link in its model.
        position: (3,) place of the camera from the link's centre of mass, in the link's axes, m.
        rotation: (3, 3) rotation from camera (right, down, forward) to link.
    """

    link: int
    position: Array
    rotation: Array

    @classmethod
    def optical(cls, model: ArticulatedModel, name: str) -> CameraMount:
        """A camera with the axes of a link or frame of the model as right, down and forward.

        Raises:
            KeyError: no such link or frame; the message lists all frames.
        """
        frames = {frame.name: frame for frame in model.frames}
        links = [link.name for link in model.links]
        frame = Frame(name, name) if name in links else frames.get(name)
        if frame is None:
            raise KeyError(f"model '{model.name}' has no link or frame '{name}'; it has: {', '.join(frames)}")
        index = links.index(frame.link)
        offset = np.subtract(frame.position, model.links[index].centre)
        return cls(index, offset, rotation_from_rpy(frame.rpy))

    @classmethod
    def forward(cls, model: ArticulatedModel, name: str) -> CameraMount:
        """A camera that looks along the x axis of a link or frame of the model, with its z axis up.

        Raises:
            KeyError: as `optical`.
        """
        return cls.turned(model, name, OPTICAL)

    @classmethod
    def turned(cls, model: ArticulatedModel, name: str, axes: Array) -> CameraMount:
        """A camera with axes (3, 3) given in the axes of a link or frame of the model; errors as `optical`."""
        mount = cls.optical(model, name)
        return cls(mount.link, mount.position, mount.rotation @ axes)
