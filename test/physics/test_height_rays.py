"""Rays against height fields: the same as against all of their triangles, one by one."""

import math
from itertools import product

import numpy as np
import pytest

from simspark_ros.physics.engine import RayTarget
from simspark_ros.physics.height_rays import meet_height_field
from simspark_ros.physics.model import HeightField, Obstacle, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine

DRAWN = np.random.default_rng(1)
HEIGHTS = DRAWN.uniform(0.0, 1.0, (7, 9))
FIELD = HeightField(tuple(map(tuple, HEIGHTS.tolist())), (4.0, 3.0), (0.5, -0.2, 0.3))


def triangles() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    x, y = np.linspace(-1.5, 2.5, 9), np.linspace(-1.7, 1.3, 7)
    points = np.stack((*np.meshgrid(x, y), HEIGHTS + 0.3), axis=2)
    halves = []
    for row, column in product(range(6), range(8)):
        base, far = points[row, column], points[row + 1, column + 1]
        halves += [(base, points[row, column + 1], far), (base, far, points[row + 1, column])]
    return halves


def first_hit(origin: np.ndarray, direction: np.ndarray) -> tuple[float, np.ndarray]:
    best, normal = math.inf, np.zeros(3)
    for corners in triangles():
        across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        if (fall := direction @ across) >= 0.0:
            continue
        distance = ((corners[0] - origin) @ across) / fall
        point = origin + distance * direction
        sides = zip(corners, (*corners[1:], corners[0]), strict=True)
        if 0.0 <= distance < best and all(np.cross(v - u, point - u) @ across >= -1e-12 for u, v in sides):
            best, normal = distance, across / np.linalg.norm(across)
    return best, normal


def test_rays_meet_the_nearest_triangle_from_above() -> None:
    origins, targets = DRAWN.uniform(-3.0, 3.0, (80, 3)), DRAWN.uniform(-1.5, 1.5, (80, 3))
    origins[:, 2], targets[:, 2] = DRAWN.uniform(0.0, 3.0, 80), DRAWN.uniform(0.2, 1.3, 80)
    directions = targets - origins
    # Along an axis, and along a line of the grid.
    directions[:10], directions[10:20], origins[20:25, 0] = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), 0.5
    directions[20:25, 0] = 0.0
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    distances, normals = meet_height_field(FIELD, origins, directions)
    expected = [first_hit(*ray) for ray in zip(origins, directions, strict=True)]
    assert 30 < np.isfinite(distances).sum() < 80
    assert distances == pytest.approx([distance for distance, _ in expected])
    # On the border of two triangles either normal is right.
    inner = np.delete(np.arange(80), np.arange(20, 25))
    assert normals[inner] == pytest.approx(np.array([normal for _, normal in expected])[inner], abs=1e-9)


def test_rays_see_hills_and_tilted_obstacles_in_front_of_the_ground() -> None:
    plank = Shape(ShapeKind.BOX, (2.0, 2.0, 0.2), (5.0, 0.0, 1.0), (0.0, math.pi / 4.0, 0.0))
    engine = create_engine("bullet")
    engine.load_scene(SceneModel(obstacles=(Obstacle("hills", FIELD), Obstacle("plank", plank))))
    down = np.tile((0.0, 0.0, -1.0), (3, 1))
    hits = engine.cast_rays(np.array([[0.5, -0.2, 3.0], [5.0, 0.0, 3.0], [-3.0, 0.0, 3.0]]), down, 10.0)
    engine.close()
    assert hits.target.tolist() == [RayTarget.OBSTACLE, RayTarget.OBSTACLE, RayTarget.GROUND]
    # The middle of the grid is a point of it; the plank's upper face is 0.1 m from its middle, at 45 degrees.
    assert hits.distance == pytest.approx([2.7 - HEIGHTS[3, 4], 2.0 - 0.1 * math.sqrt(2.0), 3.0])
    assert hits.normal[1] == pytest.approx([math.sqrt(0.5), 0.0, math.sqrt(0.5)])
