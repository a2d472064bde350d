"""Surfaces are texts that hold triangles."""

import numpy as np
import pytest

from simspark_ros.physics.surface import Surface

POINTS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
TRIANGLE = np.array([[0, 1, 2]])
RED = (1.0, 0.0, 0.0, 1.0)


def test_a_surface_gives_back_its_triangles() -> None:
    points, triangles = Surface.of(POINTS, TRIANGLE, RED).arrays
    assert points.tolist() == POINTS.tolist()
    assert triangles.tolist() == TRIANGLE.tolist()


def test_a_moved_surface_stands_elsewhere() -> None:
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    points, _ = Surface.of(POINTS, TRIANGLE, RED).moved(np.array([0.0, 0.0, 2.0]), turn).arrays
    assert points.tolist() == [[0.0, 0.0, 2.0], [0.0, 1.0, 2.0], [-1.0, 0.0, 2.0]]


@pytest.mark.parametrize(
    ("points", "triangles"),
    [(POINTS, TRIANGLE + 1), (POINTS[:0], TRIANGLE), (POINTS * np.nan, TRIANGLE), (POINTS, TRIANGLE[:0])],
)
def test_what_is_no_surface_is_refused(points: np.ndarray, triangles: np.ndarray) -> None:
    with pytest.raises(ValueError, match="surface has"):
        Surface.of(points, triangles, RED)


@pytest.mark.parametrize("text", ["?", "AAAA", "AAAAAA=="])
def test_texts_that_hold_no_numbers_are_refused(text: str) -> None:
    good = Surface.of(POINTS, TRIANGLE, RED)
    with pytest.raises(ValueError, match=r"."):
        Surface(text, good.triangles, RED)
