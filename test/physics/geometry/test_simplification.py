"""Meshes with fewer triangles look like the meshes they come from."""

import numpy as np
import pytest

from simspark_ros.physics.geometry.simplification import simplified


def sheet(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A wavy sheet of count x count cells over a square of 1 m."""
    x, y = (axis.reshape(-1) for axis in np.meshgrid(*[np.linspace(0.0, 1.0, count + 1)] * 2))
    corner = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).reshape(-1)
    one = np.column_stack((corner, corner + 1, corner + count + 2))
    two = np.column_stack((corner, corner + count + 2, corner + count + 1))
    return np.column_stack((x, y, 0.1 * np.sin(6.0 * x))), np.concatenate((one, two))


def test_a_mesh_within_the_budget_stays_as_it_is() -> None:
    points, triangles = sheet(4)
    fewer, faces = simplified(points, triangles, 32)
    assert fewer is points
    assert faces is triangles


def test_fewer_triangles_lie_on_the_same_surface() -> None:
    points, triangles = simplified(*sheet(100), 1000)
    assert 800 < len(triangles) <= 1000
    assert triangles.max() + 1 == len(points)
    # Means of cells of 4 cm lie below the crests of waves with a curvature of 3.6 / m by a part of a millimetre.
    assert points[:, 2] == pytest.approx(0.1 * np.sin(6.0 * points[:, 0]), abs=1.5e-3)


def test_triangles_between_the_same_points_are_kept_once() -> None:
    points, triangles = sheet(50)
    _, kept = simplified(points, np.concatenate((triangles, triangles)), 500)
    assert len(np.unique(np.sort(kept, axis=1), axis=0)) == len(kept) > 400


def test_something_is_left_of_the_smallest_budget() -> None:
    _, triangles = simplified(*sheet(20), 1)
    assert len(triangles) >= 1


def test_the_same_mesh_gives_the_same_triangles() -> None:
    one, other = simplified(*sheet(50), 500), simplified(*sheet(50), 500)
    assert one[0].tobytes() == other[0].tobytes()
    assert one[1].tobytes() == other[1].tobytes()
