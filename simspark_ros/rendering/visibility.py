"""Which robots a picture shows, and how finely: most of a renderer's time goes to what nobody sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.rendering.optics import CameraPose, Lens

UNSEEN = 0.5
"""Errors of a surface up to so many pixels may be anywhere in a picture."""

_MARGIN = 0.01
"""Of rounding, and of what the renderer moves pictures by, m."""


@dataclass(frozen=True)
class Spheres:
    """One around each of R robots.

    Attributes:
        centres: (R, 3) m, world frame.
        radii: (R,) m.
    """

    centres: Array
    radii: Array

    @classmethod
    def around(cls, positions: Array, extents: Array, starts: IntArray) -> Spheres:
        """Args: (K, 3) middles of links, (K,) how far each link reaches, m, and (R,) the first link of each robot."""
        if not len(starts):
            return cls(np.zeros((0, 3)), np.zeros(0))
        counts = np.diff([*starts, len(positions)])
        centres = np.add.reduceat(positions, starts) / counts[:, None]
        reach = np.linalg.norm(positions - centres.repeat(counts, axis=0), axis=1) + extents
        return cls(centres, np.maximum.reduceat(reach, starts) + _MARGIN)

    def shadows(self, sun: Array) -> Spheres:
        """Around their shadows on the ground; `sun` is the unit vector (3,) toward it."""
        return Spheres(self.centres - self.centres[:, 2:] * (sun / sun[2]), self.radii / sun[2])

    def depths(self, camera: CameraPose) -> Array:
        """Distances (R,) of the nearest points along the camera's axis, m, negative behind it."""
        depths: Array = (self.centres - camera.position) @ camera.rotation[:, 2] - self.radii
        return depths

    def in_view(self, camera: CameraPose, lens: Lens) -> BoolArray:
        """Whether (R,) any part of them may be in a picture without distortion."""
        right, down, forward = ((self.centres - camera.position) @ camera.rotation).T
        seen: BoolArray = forward > -self.radii
        for across, size in ((right, lens.width), (down, lens.height)):
            slope = size / 2.0 / lens.focal_length
            seen &= np.abs(across) - slope * forward < self.radii * np.hypot(1.0, slope)
        return seen


def flattening(sun: Array) -> Array:
    """Projection (4, 4) onto the ground along the light; `sun` is the unit vector (3,) toward it (Blinn 1988)."""
    flat = np.eye(4)
    flat[:, 2] = 0.0
    flat[:2, 2] = -sun[:2] / sun[2]
    return flat
