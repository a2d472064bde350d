"""Convex hulls: what they import, and how they grow."""

import subprocess
import sys

import numpy as np
import pytest

from simspark_ros.physics.geometry.hulls import GrowingHull, HullError, convex_faces
from simspark_ros.physics.geometry.transforms import product

HULL = """
import sys
import threading
import numpy as np
from simspark_ros.physics.geometry.hulls import convex_faces
from simspark_ros.physics.geometry.qhull import qhull

if {thread}:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
faces = len(convex_faces(np.vstack((np.eye(3), np.zeros(3)))).triangles)
alone = "scipy.sparse" not in sys.modules
import scipy.linalg, scipy.optimize, scipy.spatial
assert scipy.spatial.ConvexHull is qhull().ConvexHull
assert scipy.linalg.inv and scipy.spatial.KDTree and scipy.linalg.cython_lapack and scipy.spatial.Delaunay
print(faces, alone)
"""


@pytest.mark.parametrize("thread", [False, True])
def test_qhull_comes_without_the_rest_of_scipy_which_can_be_imported_later(thread: bool) -> None:
    """With a second thread, which could see what is half imported, all of scipy's package comes."""
    command = [sys.executable, "-c", HULL.format(thread=thread)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.split(), done.stderr) == (["4", str(not thread)], "")


def test_a_growing_hull_knows_how_far_outside_points_are() -> None:
    random = np.random.default_rng(1)
    # A box has triangles that share a plane.
    corners = np.array(np.meshgrid((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))).reshape(3, -1).T
    points = random.normal(size=(200, 3))
    hull = GrowingHull(corners, points)
    for number in range(30):
        faces = convex_faces(np.concatenate((corners, points[:number])))
        distances = (product(points, faces.normals.T) - faces.offsets).max(axis=1)
        np.testing.assert_allclose(hull.outside, distances, atol=1e-9)
        hull.add(points[number])
    assert hull.outside[:30].max() < 1e-9


def test_flat_points_are_refused() -> None:
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    with pytest.raises(HullError, match="span a solid"):
        convex_faces(square)
    with pytest.raises(HullError, match="span a solid"):
        GrowingHull(square, square)
