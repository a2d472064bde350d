"""Finds the robots in a picture, and their distances: most of a renderer's time would go to things nobody sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.rendering.drawing.optics import CameraPose, Lens

UNSEEN = 0.5
"""Largest error of a surface that nobody sees, pixels."""

_MARGIN = 0.01
"""Margin for rounding, and for the shift of pictures by the renderer, m."""


@dataclass(frozen=True)
class Spheres:
    """Spheres around R robots.

    Attributes:
        centres: (R, 3) centres of the spheres, world frame, m.
        radii: (R,) radii of the spheres, m.
    """

    centres: Array
    radii: Array

    @classmethod
    def around(cls, positions: Array, extents: Array, starts: IntArray) -> Spheres:
        """Make spheres from middles (K, 3) and reaches (K,) of links, m, and each robot's first link (R,)."""
        if not len(starts):
            return cls(np.zeros((0, 3)), np.zeros(0))
        counts = np.diff([*starts, len(positions)])
        centres = np.add.reduceat(positions, starts) / counts[:, None]
        reach = np.linalg.norm(positions - centres.repeat(counts, axis=0), axis=1) + extents
        return cls(centres, np.maximum.reduceat(reach, starts) + _MARGIN)

    def shadows(self, sun: Array) -> Spheres:
        """Spheres around their shadows on the ground; `sun` is the unit vector (3,) toward the sun."""
        return Spheres(self.centres - self.centres[:, 2:] * (sun / sun[2]), self.radii / sun[2])

    def depths(self, camera: CameraPose) -> Array:
        """Distances (R,) of their nearest points along the camera's axis, m, negative behind the camera."""
        return (self.centres - camera.position) @ camera.rotation[:, 2] - self.radii

    def in_view(self, camera: CameraPose, lens: Lens) -> BoolArray:
        """Whether (R,) any part of a sphere may be in a picture without distortion."""
        right, down, forward = ((self.centres - camera.position) @ camera.rotation).T
        seen: BoolArray = forward > -self.radii
        for across, size in ((right, lens.width), (down, lens.height)):
            slope = size / 2.0 / lens.focal_length
            # The distance from a side of the view, whose normal (1, -slope) is longer than 1.
            seen &= np.abs(across) - slope * forward < self.radii * np.hypot(1.0, slope)
        return seen


def flattening(sun: Array) -> Array:
    """Projection (4, 4) onto the ground along the light; `sun` is the unit vector (3,) toward the sun (Blinn 1988)."""
    flat = np.eye(4)
    flat[:, 2] = 0.0
    flat[:2, 2] = -sun[:2] / sun[2]
    return flat
