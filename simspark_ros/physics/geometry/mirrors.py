"""Mirrors of omni-directional cameras: the direction that a place in the picture shows.

The camera looks along the axis of the mirror; angles are from that axis, on the side of the camera. Radii in the
picture are 1 at the mirror's edge. Rays of light meet as in one point, the inner focus of a hyperboloid.

A hyperboloid of eccentricity e, with a pinhole in its outer focus, shows the angle a at a distance from the middle in
proportion to sin a / (xi + cos a), with xi = 2 e / (1 + e^2) (Geyer and Daniilidis, "Catadioptric Projective
Geometry", 2001). An isometric mirror shows the ground as a map, without warp: tan a (Marques and Lima, "A localization
method for a soccer robot using a vision-based omni-directional sensor", 2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simspark_ros.physics.engine import Array

MirrorKind = Literal["hyperbolic", "isometric"]


@dataclass(frozen=True)
class Mirror:
    """One mirror.

    Attributes:
        eccentricity: eccentricity of a hyperboloid, above 1.
        widest: angle at the mirror's edge, rad.

    Raises:
        ValueError: a mirror of this kind cannot show such angles.
    """

    kind: MirrorKind
    eccentricity: float
    widest: float

    def __post_init__(self) -> None:
        if self.eccentricity <= 1.0:
            raise ValueError(f"the eccentricity of a hyperboloid must be above 1, not {self.eccentricity:g}")
        limit = math.acos(-1.0 / self.eccentricity) if self.kind == "hyperbolic" else math.pi / 2.0
        if not 0.0 < self.widest < 0.999 * limit:
            raise ValueError(
                f"a mirror of this kind can only show less than {math.degrees(limit):.1f} degrees, not "
                f"{math.degrees(self.widest):.1f}"
            )

    @property
    def xi(self) -> float:
        """Parameter xi of the unified model of all such cameras; 0 for an isometric mirror, which acts as a pinhole."""
        e = self.eccentricity
        return 2.0 * e / (1.0 + e * e) if self.kind == "hyperbolic" else 0.0

    @property
    def scale(self) -> float:
        """Factor of sin a / (xi + cos a) in the radius."""
        return (self.xi + math.cos(self.widest)) / math.sin(self.widest)

    def radii(self, angles: Array) -> Array:
        """Radii of directions in the picture; infinite for directions that no mirror of this kind shows."""
        away = self.xi + np.cos(angles)
        radii: Array = np.full(np.shape(angles), np.inf)
        np.divide(self.scale * np.sin(angles), away, out=radii, where=away > 0.0)
        return radii

    def angles(self, radii: Array) -> Array:
        """Angles that the picture shows at radii."""
        m = np.asarray(radii) / self.scale
        # m (xi + cos a) = sin a, squared, is an equation of the second degree in cos a.
        cosine = (np.sqrt(1.0 + (1.0 - self.xi**2) * m * m) - self.xi * m * m) / (1.0 + m * m)
        return np.arctan2(m * (self.xi + cosine), cosine)
