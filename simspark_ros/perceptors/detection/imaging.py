"""Points, boxes and lines in the picture of a camera, through its lens.

Points are in optical axes (x right, y down, z forward), m; pixels are columns and rows, whole numbers at their centres.
"""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.distortion import distorted
from simspark_ros.physics.geometry.mirrors import Mirror

_NEAREST = 0.01
"""Least depth before the lens, m; nearer points are shown as at this depth."""


class Imager:
    """The picture of one camera."""

    def __init__(self, camera: CameraParameters) -> None:
        self._focal_length, self._distortion = camera.focal_length, camera.distortion
        self.size = np.array([camera.width, camera.height])
        self._centre = (self.size - 1) / 2.0
        # Outside the lens's view the distortion means nothing, and could bring points back into the picture.
        low, high = self._low, self._high = camera.edge.min(1), camera.edge.max(1)
        self._planes = np.array(
            [(0, 0, 1), (1, 0, -low[0]), (-1, 0, high[0]), (0, 1, -low[1]), (0, -1, high[1])], np.float64
        )
        self._behind = np.array([_NEAREST, 0.0, 0.0, 0.0, 0.0])

    def pixels(self, points: Array) -> Array:
        """Pixels (N, 2) of points (N, 3); points beside the picture are on its edge or beyond."""
        slopes = np.clip(points[:, :2] / np.maximum(points[:, 2:], _NEAREST), self._low, self._high)
        return self._focal_length * distorted(slopes.T, self._distortion).T + self._centre

    def boxes(self, points: Array, starts: IntArray) -> Array:
        """Boxes (K, 4) around groups of points (N, 3) in the picture: least column and row, greatest column and row.

        Group k begins at point `starts[k]`. A box that is not in the picture has no width or no height.
        """
        pixels = self.inside(self.pixels(points))
        return np.hstack((np.minimum.reduceat(pixels, starts), np.maximum.reduceat(pixels, starts)))

    def inside(self, pixels: Array) -> Array:
        """Pixels (..., 2), moved to the picture's edge if they are beside it."""
        return np.clip(pixels, -0.5, self.size - 0.5)

    def faces(self, points: Array) -> BoolArray:
        """Whether (N,) points (N, 3) are before the lens, in the picture or beside it."""
        return points[:, 2] > 0.0

    def shows(self, points: Array) -> BoolArray:
        """Whether (N,) points (N, 3) are in the picture."""
        shown: BoolArray = np.all(points @ self._planes.T >= self._behind, axis=1)
        return shown

    def clip(self, lines: Array) -> tuple[IntArray, Array]:
        """The visible parts (L, 2, 3) of lines (N, 2, 3), after their indices (L,)."""
        # Distances (N, 5) of each end from the five planes around the view, above zero inside (Liang-Barsky).
        first, second = (lines @ self._planes.T - self._behind).transpose(1, 0, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = first / (first - second)
        begin = np.where((first < 0) & (second >= 0), crossing, 0.0).max(1)
        end = np.where((first >= 0) & (second < 0), crossing, 1.0).min(1)
        beside = ((first < 0) & (second < 0)).any(1)
        seen = np.flatnonzero(~beside & (begin < end))
        parts = np.stack((begin[seen], end[seen]), 1)[:, :, None]
        return seen, lines[seen, :1] + parts * (lines[seen, 1:] - lines[seen, :1])

    def directions(self, slopes: Array) -> Array:
        """Unit vectors (N, 3) of places (N, 2) in the view: 0 to 1 from left to right, and from top to bottom."""
        ahead = np.ones((len(slopes), 3))
        ahead[:, :2] = self._low + slopes * (self._high - self._low)
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        return ahead


_SAMPLES, _HALVINGS = 33, 30
"""Samples along a line to find its visible part, and bisections to find where it leaves the mirror."""


def imager_of(camera: CameraParameters) -> Imager:
    """The picture of a camera, with a mirror or without."""
    mirror = camera.reflection
    return Imager(camera) if mirror is None else MirrorImager(camera, mirror)


class MirrorImager(Imager):
    """The picture of one camera with a mirror. Lines become arcs in it; only the ends of arcs are reported."""

    def __init__(self, camera: CameraParameters, mirror: Mirror) -> None:
        super().__init__(camera)
        self._mirror = mirror
        self._radius = min(camera.width, camera.height) / 2.0

    def pixels(self, points: Array) -> Array:
        """Pixels (N, 2) of points (N, 3); points beside the mirror are on its edge."""
        across = np.hypot(points[:, 0], points[:, 1])
        angles = np.minimum(np.arctan2(across, points[:, 2]), self._mirror.widest)
        along = points[:, :2] / np.maximum(across, 1e-12)[:, None]
        shown: Array = along * (self._radius * self._mirror.radii(angles))[:, None] + self._centre
        return shown

    def faces(self, points: Array) -> BoolArray:
        """Whether (N,) the mirror shows points (N, 3)."""
        return self.shows(points)

    def shows(self, points: Array) -> BoolArray:
        """Whether (N,) points (N, 3) are in the picture."""
        angles = np.arctan2(np.hypot(points[:, 0], points[:, 1]), points[:, 2])
        shown: BoolArray = angles <= self._mirror.widest
        return shown

    def clip(self, lines: Array) -> tuple[IntArray, Array]:
        """The visible parts (L, 2, 3) of lines (N, 2, 3), after their indices (L,); see `Imager.clip`."""
        along = np.linspace(0.0, 1.0, _SAMPLES)
        start, way = lines[:, 0], lines[:, 1] - lines[:, 0]
        # Samples tell roughly where the line is visible; a piece shorter than their distance may be missed.
        visible = self.shows((start[:, None] + along[:, None] * way[:, None]).reshape(-1, 3)).reshape(-1, _SAMPLES)
        seen = np.flatnonzero(visible.any(axis=1))
        first, last = visible[seen].argmax(axis=1), _SAMPLES - 1 - visible[seen, ::-1].argmax(axis=1)
        # An end of the line that is visible is both inside and outside here, so the halvings leave it alone.
        inside, outside = (
            np.stack((first, last)),
            np.stack((np.maximum(first - 1, 0), np.minimum(last + 1, _SAMPLES - 1))),
        )
        near, far = along[inside], along[outside]
        for _ in range(_HALVINGS):
            middle = (near + far) / 2.0
            points = start[seen] + middle[:, :, None] * way[seen]
            shown = self.shows(points.reshape(-1, 3)).reshape(middle.shape)
            near, far = np.where(shown, middle, near), np.where(shown, far, middle)
        return seen, (start[seen] + near[:, :, None] * way[seen]).transpose(1, 0, 2)

    def directions(self, slopes: Array) -> Array:
        """Unit vectors (N, 3) of places (N, 2) spread evenly over the mirror: 0 to 1 of its area, and around it."""
        angles = self._mirror.angles(np.sqrt(slopes[:, 0]))
        around = 2.0 * math.pi * slopes[:, 1]
        return np.stack((np.sin(angles) * np.cos(around), np.sin(angles) * np.sin(around), np.cos(angles)), 1)
