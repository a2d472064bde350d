"""Points, boxes and lines in the picture of a camera, through its lens.

Points are in optical axes (x right, y down, z forward), m; pixels are columns and rows, whole numbers at their centres.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.distortion import distorted

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
        shown: Array = self._focal_length * distorted(slopes.T, self._distortion).T + self._centre
        return shown

    def boxes(self, points: Array, starts: IntArray) -> Array:
        """Boxes (K, 4) around groups of points (N, 3) in the picture: least column and row, greatest column and row.

        Group k begins at point `starts[k]`. A box that is not in the picture has no width or no height.
        """
        pixels = self.inside(self.pixels(points))
        return np.hstack((np.minimum.reduceat(pixels, starts), np.maximum.reduceat(pixels, starts)))

    def inside(self, pixels: Array) -> Array:
        """Pixels (..., 2), moved to the picture's edge if they are beside it."""
        moved: Array = np.clip(pixels, -0.5, self.size - 0.5)
        return moved

    def faces(self, points: Array) -> BoolArray:
        """Whether (N,) points (N, 3) are before the lens, in the picture or beside it."""
        ahead: BoolArray = points[:, 2] > 0.0
        return ahead

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
