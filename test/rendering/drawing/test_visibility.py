import math

import numpy as np
import pytest

from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.drawing.visibility import Spheres, flattening

LENS = Lens(320, 240, math.radians(60.0))
CAMERA = CameraPose.look_at((0.0, 0.0, 1.0), (5.0, 0.0, 1.0))
EDGE = 5.0 * math.tan(math.radians(30.0))
"""Half the width of the camera's view 5 m away, m."""

AWAY = 0.5 / math.cos(math.radians(30.0))
"""Distance across from the view's edge to the centre of a sphere of 0.5 m that touches the edge, m."""


@pytest.mark.parametrize(
    ("centre", "seen"),
    [
        ((5.0, EDGE + AWAY - 0.01, 1.0), True),
        ((5.0, EDGE + AWAY + 0.01, 1.0), False),
        ((5.0, -EDGE - AWAY + 0.01, 1.0), True),
        ((5.0, -EDGE - AWAY - 0.01, 1.0), False),
        ((5.0, 0.0, 6.0), False),
        ((-0.4, 0.0, 1.0), True),
        ((-0.6, 0.0, 1.0), False),
    ],
)
def test_what_touches_the_view_is_seen(centre: tuple[float, float, float], seen: bool) -> None:
    assert Spheres(np.array([centre]), np.array([0.5])).in_view(CAMERA, LENS).tolist() == [seen]


def test_spheres_enclose_the_links_of_each_robot_and_their_shadows() -> None:
    positions = np.random.default_rng(1).uniform(-1.0, 1.0, (7, 3))
    extents = np.array([0.1, 0.7, 0.2, 0.3, 0.6, 0.4, 0.5])
    spheres = Spheres.around(positions, extents, np.array([0, 3]))
    for robot, links in enumerate((slice(0, 3), slice(3, 7))):
        reach = np.linalg.norm(positions[links] - spheres.centres[robot], axis=1) + extents[links]
        assert reach.max() <= spheres.radii[robot] <= reach.max() + 0.02
    assert len(Spheres.around(np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int64)).radii) == 0
    sun = np.array([0.6, 0.0, 0.8])
    sphere = Spheres(np.array([[1.0, 2.0, 3.0]]), np.array([0.5]))
    shadow = sphere.shadows(sun)
    points = np.random.default_rng(1).standard_normal((500, 3))
    points = sphere.centres + 0.5 * points / np.linalg.norm(points, axis=1, keepdims=True)
    flat = (np.column_stack([points, np.ones(500)]) @ flattening(sun).T)[:, :3]
    reach = np.linalg.norm(flat - shadow.centres, axis=1).max()
    assert 0.95 * shadow.radii[0] < reach <= shadow.radii[0]
