"""Which points of things the sun reaches: a picture from the sun shows the nearest ones (Williams 1978)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.optics import CameraPose, Lens

DISTANCE = 100.0
"""Of the sun's camera from what it looks at, m: its rays spread by 3 degrees over a robot soccer field, at most."""

REACH = 3.0
"""Nothing that is higher above a point throws a shadow on it, m."""

SIZE = 512
"""Pixels along each edge of the picture from the sun."""


@dataclass(frozen=True)
class SunView:
    """A camera in the sun that has some points in its picture.

    Attributes:
        camera, lens: of the picture.
        near, far: range of distances that it needs, m.
        points: (3, n) in the axes of the camera, m.
    """

    camera: CameraPose
    lens: Lens
    near: float
    far: float
    points: Array

    @classmethod
    def of(cls, points: Array, sun: Array) -> SunView:
        """Args: points (3, n) of the world, at least one, and the unit vector toward the sun."""
        middle = (points.min(1) + points.max(1)) / 2.0
        camera = CameraPose.look_at(tuple((middle + DISTANCE * sun).tolist()), tuple(middle.tolist()))
        seen = camera.rotation.T @ (points - camera.position[:, None])
        widest = float(np.abs(seen[:2] / seen[2]).max()) * 1.05 + 1e-4
        lens = Lens(SIZE, SIZE, 2.0 * math.atan(widest))
        return cls(camera, lens, float(seen[2].min()) - REACH, float(seen[2].max()) + REACH, seen)

    def shaded(self, distances: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Points (n,) in shadow, by the distances (SIZE, SIZE) of the picture along its axis, m."""
        across = (self.lens.matrix[:2, :2] @ (self.points[:2] / self.points[2])) + self.lens.matrix[:2, 2:]
        column, row = np.clip(np.rint(across), 0, SIZE - 1).astype(np.int64)
        # Faces that the light grazes would shade themselves: a pixel is as deep as it is wide, and more.
        slack = 0.005 + 3.0 * DISTANCE / self.lens.focal_length
        shaded: NDArray[np.bool_] = self.points[2] > distances[row, column] + slack
        return shaded
