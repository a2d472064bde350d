"""Finds the points of things that the sun reaches: a picture from the sun shows the nearest points (Williams 1978)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.drawing.optics import CameraPose, Lens

DISTANCE = 100.0
"""Distance of the sun's camera from its target, m: its rays spread by 3 degrees over a soccer field, at most."""

REACH = 3.0
"""Greatest height above a point of a thing that throws a shadow on it, m."""

SIZE = 512
"""Pixels along each edge of the picture from the sun."""


def light_direction(azimuth: float = math.radians(-125.0), elevation: float = math.radians(55.0)) -> Array:
    """Unit vector (3,) toward the sun, world frame."""
    across = math.cos(elevation)
    return np.array([across * math.cos(azimuth), across * math.sin(azimuth), math.sin(elevation)])


@dataclass(frozen=True)
class SunView:
    """A camera in the sun that has some points in its picture.

    Attributes:
        camera, lens: pose and lens of the sun's camera.
        near, far: range of distances that the picture needs, m.
        points: (3, n) points in the axes of the camera, m.
    """

    camera: CameraPose
    lens: Lens
    near: float
    far: float
    points: Array

    @classmethod
    def of(cls, points: Array, sun: Array) -> SunView:
        """The view of points (3, n) of the world, at least one, from the sun; `sun` is the unit vector toward it."""
        middle = (points.min(1) + points.max(1)) / 2.0
        camera = CameraPose.look_at(tuple((middle + DISTANCE * sun).tolist()), tuple(middle.tolist()))
        seen = camera.rotation.T @ (points - camera.position[:, None])
        # A little wider than the points, so that none is on the edge; a single one needs some width, too.
        widest = float(np.abs(seen[:2] / seen[2]).max()) * 1.05 + 1e-4
        lens = Lens(SIZE, SIZE, 2.0 * math.atan(widest))
        return cls(camera, lens, float(seen[2].min()) - REACH, float(seen[2].max()) + REACH, seen)

    def shaded(self, distances: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Points (n,) in shadow, by the distances (SIZE, SIZE) of the picture along its axis, m."""
        across = (self.lens.matrix[:2, :2] @ (self.points[:2] / self.points[2])) + self.lens.matrix[:2, 2:]
        column, row = np.clip(np.rint(across), 0, SIZE - 1).astype(np.int64)
        # Without slack a face in grazing light would shade itself: a pixel is at least as deep as it is wide.
        slack = 0.005 + 3.0 * DISTANCE / self.lens.focal_length
        shaded: NDArray[np.bool_] = self.points[2] > distances[row, column] + slack
        return shaded
