"""What solids cover of the plane."""

import math

import numpy as np
import pytest

from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.planar.outline import projected


@pytest.mark.parametrize(
    "corners",
    [
        ((0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15)),
        tuple((0.2 * math.cos(a), 0.1 * math.sin(a)) for a in (math.pi * k / 8 for k in range(16))),
    ],
    ids=["triangle", "ellipse"],
)
def test_an_upright_prism_of_a_mesh_covers_its_base_between_its_heights(corners):
    prism = hull_shape(np.array([(x, y, z) for x, y in corners for z in (0.0, 0.3)]))
    outline = projected(prism, np.eye(3), np.array([1.0, 2.0, 0.1]))
    assert sorted(np.round(np.array(outline.corners) - (1.0, 2.0), 9).tolist()) == sorted(np.round(corners, 9).tolist())
    assert (outline.radius, outline.low, outline.high) == pytest.approx((0.0, 0.1, 0.4))
