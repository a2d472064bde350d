"""Pictures of mirrors: the scene is drawn on the faces of a cube, and every pixel looks up its place there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.mirrors import Mirror
from simspark_ros.rendering.drawing.optics import CameraPose, Lens

TURNS = np.array(
    [
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
        [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
        [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
    ],
    np.float64,
)
"""Axes of the faces in the camera's axes (right, down, forward): ahead, up, down, right, left, behind."""


@dataclass(frozen=True)
class MirrorLens:
    """A camera that looks into a mirror. Pixels are square; the mirror is as wide as the picture's shorter side."""

    width: int
    height: int
    mirror: Mirror

    @property
    def radius(self) -> float:
        """Radius of the mirror's edge in the picture, pixels."""
        return min(self.width, self.height) / 2.0

    @property
    def focal_length(self) -> float:
        """Focal length in pixels: the factor of X / (Z + xi |(X, Y, Z)|) in the unified model."""
        return self.radius * self.mirror.scale

    @property
    def matrix(self) -> Array:
        """Camera matrix K (3, 3), with the focal length of the unified model."""
        f = self.focal_length
        return np.array([[f, 0.0, (self.width - 1) / 2.0], [0.0, f, (self.height - 1) / 2.0], [0.0, 0.0, 1.0]])

    @property
    def face(self) -> Lens:
        """Lens of each face of the cube, with about as fine pixels."""
        size = min(self.width, self.height)
        return Lens(size, size, np.pi / 2.0)

    def finer(self, times: int) -> MirrorLens:
        """The same with `times` as many pixels along both edges."""
        return replace(self, width=times * self.width, height=times * self.height)

    def rays(self) -> NDArray[np.float32]:
        """Unit vectors (3, height * width) of pixels row by row; 0 beside the mirror. Shared: do not change them."""
        return _look_up(self)[0]

    def assembled(self, camera: CameraPose, look: Callable[[CameraPose, Lens], tuple[NDArray[Any], ...]]) -> Any:
        """Layers (height, width, ...) of the picture.

        Args:
            camera: pose of the camera.
            look: function that draws the layers of a face; a layer of depths (floats) becomes a layer of distances.

        Returns:
            The same layers; beside the mirror they are 0, distances infinite.
        """
        _, face_of, pixel, stretch = _look_up(self)
        whole: list[NDArray[Any]] = []
        for number in np.unique(face_of[face_of >= 0]).tolist():
            # `TURNS` leads from the camera into the face, a pose the other way.
            layers = look(CameraPose(camera.position, camera.rotation @ TURNS[number].T), self.face)
            here = np.flatnonzero(face_of == number)
            for index, layer in enumerate(layers):
                flat = layer.reshape(-1, *layer.shape[2:])
                if index == len(whole):
                    beside = np.inf if flat.dtype.kind == "f" else 0
                    whole.append(np.full((len(face_of), *flat.shape[1:]), beside, flat.dtype))
                if len(flat):
                    seen = flat[pixel[here]]
                    whole[index][here] = seen * stretch[here] if flat.dtype.kind == "f" else seen
                else:
                    whole[index] = layer
        return tuple(w.reshape(self.height, self.width, *w.shape[1:]) if w.size else w for w in whole)


@lru_cache(8)
def _look_up(lens: MirrorLens) -> tuple[NDArray[np.float32], IntArray, IntArray, NDArray[np.float32]]:
    """Rays, and for each pixel its face (-1 beside the mirror), the pixel there, and its ray's length for depth 1."""
    v, u = np.mgrid[0 : lens.height, 0 : lens.width].reshape(2, -1)
    x, y = u - (lens.width - 1) / 2.0, v - (lens.height - 1) / 2.0
    radius = np.hypot(x, y)
    shown = radius <= lens.radius
    angles = lens.mirror.angles(radius / lens.radius)
    across = np.sin(angles) / np.maximum(radius, 1e-12)
    rays = np.where(shown, np.stack((x * across, y * across, np.cos(angles))), 0.0)
    faces = np.einsum("fij,jn->fin", TURNS, rays)
    # The face whose axis is nearest to the ray shows the ray within its 90 degrees.
    face_of = np.where(shown, faces[:, 2].argmax(axis=0), -1)
    inside = np.take_along_axis(faces, np.maximum(face_of, 0)[None, None], 0)[0]
    # Renderers measure depth along the face's axis; the way along the ray is longer by one over the ray's part there.
    depth = np.where(shown, inside[2], 1.0)
    size, f = lens.face.width, lens.face.focal_length
    column, row = (np.clip(np.rint(f * axis / depth + (size - 1) / 2.0), 0, size - 1) for axis in inside[:2])
    pixel = (row * size + column).astype(np.int64)
    return rays.astype(np.float32), face_of, pixel, (1.0 / depth).astype(np.float32)
