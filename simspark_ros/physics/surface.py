"""Surfaces of bodies as makers draw them: triangles for pictures, which physics knows nothing of.

World files, which know models, are read without numpy.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Colour = tuple[float, float, float, float]

_POINT, _INDEX = "<f4", "<u4"
"""Types of numbers, by their names in numpy."""


@dataclass(frozen=True)
class Surface:
    """Triangles of one colour in a link's frame. They are texts, which travel in JSON and are hashed fast.

    Attributes:
        points: (V, 3) corners, m: single-precision numbers in base64.
        triangles: (T, 3) indices of points, counter-clockwise seen from outside: 32-bit numbers in base64.
        rgba: colour.
    """

    points: str = field(repr=False)
    triangles: str = field(repr=False)
    rgba: Colour

    def __post_init__(self) -> None:
        """Raise ValueError for texts that hold no triangles."""
        import numpy as np

        points, triangles = self.arrays
        if not np.isfinite(points).all():
            raise ValueError("a surface has points that are not finite")
        if not len(triangles) or triangles.max() >= len(points):
            raise ValueError("a surface has no triangles, or triangles without points")

    @classmethod
    def of(cls, points: Array, triangles: NDArray[np.int64], rgba: Colour) -> Surface:
        """The surface of points (V, 3), m, and triangles (T, 3)."""
        return cls(_text(points.astype(_POINT)), _text(triangles.astype(_INDEX)), rgba)

    @cached_property
    def arrays(self) -> tuple[Array, NDArray[np.int64]]:
        """Points (V, 3), m, and triangles (T, 3)."""
        import numpy as np

        points = np.frombuffer(base64.b64decode(self.points, validate=True), _POINT)
        triangles = np.frombuffer(base64.b64decode(self.triangles, validate=True), _INDEX)
        return points.reshape(-1, 3).astype(np.float64), triangles.reshape(-1, 3).astype(np.int64)

    def moved(self, position: Array, rotation: Array) -> Surface:
        """The same surface in the parent of its frame: the frame stands at `position` (3,), m, turned by (3, 3)."""
        points, _ = self.arrays
        return replace(self, points=_text((points @ rotation.T + position).astype(_POINT)))


def _text(values: NDArray[np.float32] | NDArray[np.uint32]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
